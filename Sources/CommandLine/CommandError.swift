/// Why a command ended without success: an exit status and one sentence for standard error that says what to do.
package struct CommandError: Error, CustomStringConvertible {
    package var status: ExitStatus
    package var description: String

    package init(_ status: ExitStatus, _ description: String) {
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
