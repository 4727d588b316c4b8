"""`sterna bench`: measures communication beside the figures of the papers."""
