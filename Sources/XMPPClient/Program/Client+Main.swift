@preconcurrency import Foundation

extension Client {
    /// The whole program of a bot: logs in, runs the closure until it returns or the program is asked to end, and ends the
    /// process.
    ///
    ///     await Client.main {
    ///         var configuration = try ClientConfiguration.environment()
    ///         configuration.add { Roster($0) }
    ///         return configuration
    ///     } run: { session in
    ///         try await session.send(Presence())
    ///         for await batch in session.events(.messages) { … }
    ///     }
    ///
    /// SIGINT, SIGTERM and SIGHUP cancel the closure, and the session is closed properly: contacts see the bot leave. A second
    /// signal ends the process at once. After SIGTERM, with which a system ends a service, a session that a store can resume is
    /// left on the server for the next process (``Session/suspend()``). An error is written to standard error, as a sentence
    /// after the name of the program. The exit status is 0 after a return, a signal or an intended end, and otherwise that of
    /// ``ClientError/exitClass``: 2 for invalid settings, 3 for a refused login, 4 without a connection, 1 for anything else.
    public static func main(
        _ configuration: @Sendable () throws -> ClientConfiguration,
        run body: @escaping @Sendable (Session) async throws -> Void
    ) async -> Never {
        await ProgramEnd.after {
            let client = Client(try configuration())
            let keepSession: @Sendable (Int32) -> Void = { signal in
                if signal == SIGTERM { client.session?.requestClose(.suspending) }
            }
            try await ProgramSignals.run(whenReceived: keepSession) { try await client.run(body) }
        }
    }
}

extension Component {
    /// The whole program of a component; everything is as for ``Client/main(_:run:)``.
    public static func main(
        _ configuration: @Sendable () throws -> ComponentConfiguration,
        run body: @escaping @Sendable (Session) async throws -> Void
    ) async -> Never {
        await ProgramEnd.after {
            let component = Component(try configuration())
            try await ProgramSignals.run { try await component.run(body) }
        }
    }
}

/// How a program ends.
enum ProgramEnd {
    static func after(_ body: () async throws -> Void) async -> Never {
        // A closed reader is an error of the write, not the end of the program.
        signal(SIGPIPE, SIG_IGN)
        // What the program prints is seen at once, in a pipe and in the journal of a service, too. The C library locks the stream
        // itself.
        setvbuf(stdout, nil, Int32(_IOLBF), 0)
        do {
            try await body()
            exit(0)
        } catch {
            guard let status = status(of: error) else { exit(0) }
            let name = CommandLine.arguments.first.map { URL(filePath: $0).lastPathComponent } ?? "program"
            FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
            exit(status)
        }
    }

    /// `nil` for the end that a signal asked for.
    static func status(of error: any Error) -> Int32? {
        switch error {
        case is CancellationError: nil
        case let error as ClientError where error.code == .cancelled: nil
        case let error as ClientError: error.exitClass.rawValue
        case is SettingError: ClientError.ExitClass.usage.rawValue
        default: ClientError.ExitClass.failed.rawValue
        }
    }
}

/// A setting of the environment that is missing or cannot be used.
struct SettingError: Error, CustomStringConvertible {
    let description: String
}
