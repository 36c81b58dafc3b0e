"""Does an answer agree with what is right, entry by entry, and how sure is that?"""
