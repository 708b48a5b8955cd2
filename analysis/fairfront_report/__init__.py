"""One self-contained page about archives."""
