"""What takes long and is made in other processes, when somebody asks: replays, animations, galleries."""
