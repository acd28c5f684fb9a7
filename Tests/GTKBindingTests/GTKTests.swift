import Testing

/// All window tests: serialised, on the main actor, on a private display.
@MainActor
@Suite("GTK", .serialized, .timeLimit(.minutes(20)))
struct GTKTests {}
