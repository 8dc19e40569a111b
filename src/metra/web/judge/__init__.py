"""What judges see and send."""
