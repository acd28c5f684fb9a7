import Testing

/// All tests of windows: serialised, on the main actor, on a display of their own.
@MainActor
@Suite("Windows", .serialized, .timeLimit(.minutes(20)))
struct WindowTests {}
