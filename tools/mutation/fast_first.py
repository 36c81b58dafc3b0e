"""A plugin of pytest: of the tests that one run collects those marked as slow come last. Most faults need none."""


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
