import Glibc

/// Why a test server, proxy or certificate is not available, with the name of what is missing.
public struct FixtureError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// A program of the test packages is not installed.
        case missingProgram
        /// A program ended before it was ready, or was not ready in time.
        case didNotStart
        /// A helper command (openssl, setpriv) had an exit status other than 0.
        case commandFailed
        /// The control interface of a running server refused a request.
        case controlRefused
        /// The system did not provide a file, directory, socket or port.
        case system
    }

    public let code: Code
    public let description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static func missing(_ program: String) -> FixtureError {
        FixtureError(.missingProgram, "\(program) is not installed; `Scripts/packages test` installs it.")
    }

    /// An error with the system's message for `errno`.
    static func system(_ what: String, errno number: Int32) -> FixtureError {
        FixtureError(.system, "\(what): \(String(cString: strerror(number)))")
    }
}
