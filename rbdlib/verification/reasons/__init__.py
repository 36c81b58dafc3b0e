"""Why is an answer wrong? Mistakes that people make, tried until one makes the answer exactly right."""
