/// A program of the system that a test uses as an independent reference.
///
/// Foundation's `Process` is not used: it sometimes misses the end of a program and waits forever.
public enum OutsideProgram {
    /// Runs a program to its end, with empty standard input.
    ///
    /// - Parameter words: the program, found in `PATH`, and its arguments.
    /// - Returns: its exit status, and its standard output and error.
    public static func run(_ words: [String]) async throws(FixtureError) -> (status: Int32, output: String) {
        let directory = try FixtureDirectory.make("outside")
        let command = Command(
            program: words.first ?? "true", arguments: Array(words.dropFirst()), directory: directory,
            outputFile: "\(directory)/output")
        return try await onOwnThread { () throws(FixtureError) in
            defer { FixtureDirectory.remove(directory) }
            let status = try ServerProcess(command).waitForExit()
            return (status, command.output)
        }
    }
}
