from hypothesis import HealthCheck, settings

# No test depends on a time: on a busy machine one example may take long.
settings.register_profile(
    "patient", parent=settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")
