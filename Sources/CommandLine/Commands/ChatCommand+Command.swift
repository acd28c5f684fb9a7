internal import Glibc
internal import Roster
internal import XMPPAddress
internal import XMPPClient

extension Command {
    static let chat = Command(
        name: "chat", synopsis: "[ADDRESS]", summary: "talk: with somebody, or choose from the list of friends",
        options: AvailabilityOptions.options + [
            .init("register", "register the account first if the server does not know it"),
            .init("companion", "ADDRESS is a companion to try this with: make friends with it and say what it can do"),
        ]
    ) { invocation in
        guard invocation.arguments.count <= 1 else { throw CommandError.usage(localized("Give one address.")) }
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw CommandError.usage(
                localized("chat needs a terminal; in scripts use `hongyan send` and `hongyan listen`."))
        }
        let availability = try AvailabilityOptions(invocation.options)
        let signIn = try await SignIn(invocation.connection)
        let peer = try invocation.arguments.first.map { try ContactAddress.parse($0, account: signIn.address).bare }
        let folder = try FileFolder(account: signIn.address)
        StandardOutput.report(localized("Connecting as %@ …", signIn.address.bare))
        try await signIn.run(
            signIn.configuration(accepting: availability.policy),
            missingAccount: invocation.options.has("register") ? .register : .fail
        ) { session in
            guard let mode = TerminalMode.singleKeys() else {
                throw CommandError.failed(localized("The terminal cannot be switched to single keys."))
            }
            let chat = Chat(
                session, try session.extensionInUse(Roster.self), account: signIn.address, folder: folder,
                presence: availability.presence, keyboard: Keyboard())
            try await chat.run(with: peer, isCompanion: invocation.options.has("companion"))
            // The terminal is put back after the last line is drawn.
            _ = consume mode
        }
    }
}
