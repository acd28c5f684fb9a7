import Glibc

/// Why a test server, proxy or certificate could not be had, in words that name the missing thing.
public struct FixtureError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// A program of the test packages is not installed.
        case missingProgram
        /// A program ended before it was ready, or did not become ready in time.
        case didNotStart
        /// A helper command (openssl, setpriv) ended with another status than 0.
        case commandFailed
        /// The control interface of a running server refused a request.
        case controlRefused
        /// A file, directory, socket or port could not be had from the system.
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

    /// An error that carries the system's own sentence for `errno`.
    static func system(_ what: String, errno number: Int32) -> FixtureError {
        FixtureError(.system, "\(what): \(String(cString: strerror(number)))")
    }
}
