internal import ChatStore
internal import Glibc
internal import Localization
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress

extension Command {
    static let doctor = Command(
        name: "doctor", synopsis: "[ADDRESS]",
        summary: "check every step from an address to a working session, and report problems",
        options: [
            .init("upload", "also upload a small file and download it again"),
            .init("store", "check the data on this computer instead of the network"),
        ], usesProfile: true
    ) { invocation in
        if invocation.options.has("store") { return try await examineStore(invocation) }
        guard invocation.arguments.count <= 1 else { throw CommandError.usage(localized("Give one address.")) }
        let text = try invocation.arguments.first ?? defaultAddress(invocation.connection)
        let settings = try await settings(for: text, invocation)
        let screen = DiagnosisReport(columns: TerminalMode.size().columns)
        let isJSON = invocation.isJSON
        let walk = DiagnosisRun(text: text, settings: settings) { checks in
            if !isJSON { write(screen.rows(checks)) }
        }
        let diagnosis = await walk.run()
        if isJSON {
            StandardOutput.writeLine(diagnosis.json.description)
        } else {
            write([[], screen.conclusion(diagnosis)])
        }
        if let failure = diagnosis.firstFailure, let problem = failure.problem {
            throw CommandError(
                problem.status,
                Phrase("%@: %@ %@", failure.step.label, problem.reason, problem.advice).text)
        }
    }

    private static func write(_ rows: [TerminalScreen.Row]) {
        let usesColour = TerminalScreen.standardOutputUsesColour
        for row in rows { StandardOutput.writeLine(row.map { $0.rendered(inColour: usesColour) }.joined()) }
    }

    /// Reads the whole file of the store and changes nothing.
    private static func examineStore(_ invocation: Invocation) async throws {
        try invocation.requireNoArguments()
        let path = invocation.profile.storePath
        let found: StoreInspection?
        do throws(StoreError) {
            found = try await SQLiteStore.inspect(path)
        } catch {
            throw CommandError(store: error, at: path)
        }
        guard let found else {
            return invocation.showText(localized("There is no history yet; `hongyan chat` stores messages."))
        }
        let diagnosis = StoreDiagnosis(path: path, found: found)
        if invocation.isJSON {
            StandardOutput.writeLine(diagnosis.json.description)
        } else {
            write(diagnosis.lines(columns: TerminalMode.size().columns))
        }
        guard diagnosis.isWell else {
            throw CommandError(store: StoreError(diagnosis.isTooNew ? .tooNew : .corrupt, ""), at: path)
        }
    }

    private static func defaultAddress(_ connection: ConnectionOptions) throws(CommandError) -> String {
        if let address = connection.address { return address.description }
        let file = try CommandError.inProfile { () throws(ProfileFailure) in try AccountFile() }
        guard let address = file.current?.address else {
            throw .usage(localized("Which address? Give one, such as juliet@example.org."))
        }
        return address.description
    }

    /// The saved data of the account is used; nothing is requested, changed or removed.
    private static func settings(
        for text: String, _ invocation: Invocation
    ) async throws(CommandError) -> DiagnosisSettings {
        let triesUpload = invocation.options.has("upload")
        var options = invocation.connection
        guard options.proxyURL == nil else {
            throw .usage(localized("doctor examines the direct way to the server; leave out --proxy."))
        }
        guard let address = try? JID(text), address.local != nil else {
            return DiagnosisSettings(connection: options, triesUpload: triesUpload)
        }
        options.address = address
        let signIn = try await SignIn(options, for: .observation)
        return DiagnosisSettings(signIn, connection: options, triesUpload: triesUpload)
    }
}
