/// Why a command ended without success: an exit status and one sentence for standard error that says what to do.
struct CommandError: Error, CustomStringConvertible {
    var status: ExitStatus
    var description: String

    init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    static func usage(_ description: String) -> CommandError {
        CommandError(.usage, description)
    }

    static func failed(_ description: String) -> CommandError {
        CommandError(.failed, description)
    }
}
