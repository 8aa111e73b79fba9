"""What each scenario answers, by domain and theme: the outputs with their units, meanings and formulas."""
