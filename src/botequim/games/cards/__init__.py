"""What card games share: cards, and how hands of them are drawn."""
