/// How a program of this package ends, for scripts.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    case failed = 1
    /// The command line was not understood.
    case usage = 2
    /// The server refused the account or its password.
    case authentication = 3
    /// The server could not be reached, or not safely.
    case connection = 4
}
