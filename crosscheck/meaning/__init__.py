"""What the numbers of a claims file mean: from tables, named values and sentences to claims."""
