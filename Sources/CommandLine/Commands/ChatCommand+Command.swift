internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Glibc
internal import Localization
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient

extension Command {
    static let chat = Command(
        name: "chat", synopsis: "[ADDRESS]", summary: "chat with a contact, or choose one from the list",
        options: AvailabilityOptions.options + [
            .init("register", "register the account first if the server does not know it"),
            .init(
                "companion", "ADDRESS is a companion to try this with: add it to the contacts and say what it can do"),
        ], usesProfile: true
    ) { invocation in
        guard invocation.arguments.count <= 1 else { throw CommandError.usage(localized("Give one address.")) }
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw CommandError.usage(
                localized("chat needs a terminal; in scripts use `hongyan send` and `hongyan listen`."))
        }
        let availability = try AvailabilityOptions(invocation.options)
        let signIn = try await SignIn(invocation.connection)
        let peer = try invocation.arguments.first.map { try signIn.address.partner($0) }
        let profile = invocation.profile
        try await profile.withStore(for: .writing) { store in
            try await talk(invocation, availability, signIn, with: peer, in: store, profile)
        }
    }

    private nonisolated(nonsending) static func talk(
        _ invocation: Invocation, _ availability: AvailabilityOptions, _ signIn: SignIn, with peer: JID?,
        in store: SQLiteStore, _ profile: Profile
    ) async throws {
        let listener = Listener(folder: try FileFolder(account: signIn.address, in: profile))
        let online = try await OnlineAccount(
            signIn, in: store, profile, isLasting: true, policy: availability.policy, listener: listener,
            isInteractive: true)
        let files = Task { await listener.fetchFiles() }
        defer { files.cancel() }
        let presence = OwnPresence(show: availability.presence.show, status: availability.presence.status)
        await online.account.setPresence(presence)
        let keyboard = Keyboard()
        let connection = Task {
            do {
                try await online.run(missingAccount: invocation.options.has("register") ? .register : .fail)
            } catch {
                keyboard.stop()
                throw error
            }
        }
        // A question about a certificate needs the terminal in its normal mode.
        if signIn.question != nil {
            StandardOutput.report(localized("Connecting as %@ …", signIn.address.bare))
            await online.waitForAnswer()
        }
        guard let mode = TerminalMode.singleKeys() else {
            connection.cancel()
            throw CommandError.failed(localized("The terminal cannot be switched to single keys."))
        }
        let chat = await TerminalChat(
            online.account, preferences: await profile.preferences(), presence: presence, keyboard: keyboard,
            isRegistering: invocation.options.has("register")
        ) { error in
            Wording.failure(error, domain: signIn.address.domain)
        }
        await chat.run(with: peer, isCompanion: invocation.options.has("companion"))
        // The terminal is restored after the last line is drawn.
        _ = consume mode
        connection.cancel()
        let result = await connection.result
        await online.close()
        // A user who leaves or closes the terminal does not need the result of closing the session.
        guard case .failure(let error) = result, await !chat.isLeaving, !(error is CancellationError),
            (error as? ClientError)?.code != .cancelled
        else { return }
        throw error
    }
}
