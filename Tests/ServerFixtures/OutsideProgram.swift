/// A program of the system that a test asks as an independent witness.
///
/// Foundation's `Process` is not used: it was seen to miss the end of a program and to wait for it for ever.
public enum OutsideProgram {
    /// Runs a program to its end, with nothing on standard input.
    ///
    /// - Parameter words: the program, looked up in `PATH`, and its arguments.
    /// - Returns: its exit status, and what it wrote to standard output and error.
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
