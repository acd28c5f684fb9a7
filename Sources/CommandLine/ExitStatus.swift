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
    /// Another program has the conversations open.
    case profileInUse = 5
    /// The conversations cannot be read or kept: the disk is full, the file is damaged, or from a newer version.
    case store = 6
}
