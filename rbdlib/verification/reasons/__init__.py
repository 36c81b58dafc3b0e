"""Why is an answer wrong? Mistakes that people make (mistakes.toml), tried until one makes the answer exactly right."""
