"""What a run left behind: its log, averages, observers and files."""
