internal import CGTK

/// The memory that the program needed for a moment only, and that its heap keeps for later.
public enum SpareMemory {
    /// How long the program rests before: no frame waits for it.
    private static let pause = Duration.seconds(2)

    /// Returns it to the system: after the start it is more than a tenth of what the program occupies.
    public static func returnSoon() { returnSoon(after: pause) }

    static func returnSoon(after pause: Duration) {
        Task {
            try? await Task.sleep(for: pause)
            MainLoop.schedule(.idle) { malloc_trim(0) }
        }
    }
}
