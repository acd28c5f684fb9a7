internal import AccountRegistration
internal import JSONRPC
internal import Localization
internal import Roster
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension Command {
    static let register = Command(
        name: "register", synopsis: "[ADDRESS]", summary: "create an account on its server",
        options: [EncryptionChoice.option]
    ) { invocation in
        let encryption = try EncryptionChoice(invocation.options)
        let signIn = try await SignIn(invocation.namedAccount(), for: .registration)
        try await Client(signIn.configuration).registerAccount(answering: RegistrationQuestions.answers)
        try await save(
            signIn, nil, invocation, done: localized("Registered %@.", signIn.address.bare), event: "registered",
            encryption)
    }

    static let login = Command(
        name: "login", synopsis: "[ADDRESS]", summary: "sign in once, and keep account and password for later",
        options: [EncryptionChoice.option]
    ) { invocation in
        let encryption = try EncryptionChoice(invocation.options)
        let signIn = try await SignIn(invocation.namedAccount(), for: .keeping)
        let mechanism = try await signIn.run(signIn.configuration()) { session in
            // Negative, so that messages for a real session do not arrive here.
            try await session.send(Presence(priority: -1))
            try await session.settle()
            return await session.agreement?.mechanism
        }
        try await save(
            signIn, mechanism, invocation, done: localized("Signed in as %@.", signIn.address.bare), event: "signed-in",
            encryption)
    }

    static let logout = Command(
        name: "logout", synopsis: "[ADDRESS]",
        summary: "sign out: remove an account and its password from this computer",
        options: [.init("jid", letter: "j", value: "ADDRESS", "the account, such as juliet@example.org")],
        connects: false, usesProfile: true
    ) { invocation in
        var accounts = try AccountFile()
        let address = try invocation.namedAccount().address ?? accounts.current?.address
        guard let address else { throw CommandError.failed(localized("There is no account to sign out.")) }
        guard accounts.account(address) != nil else {
            throw CommandError.failed(
                localized("%@ is not signed in here; `hongyan accounts` lists who is.", address.bare))
        }
        try await PasswordSource.removeAll(of: address, in: invocation.profile)
        try accounts.remove(address)
        invocation.show(
            localized("Signed out %@; the password was removed.", address.bare),
            json: ["event": "signed-out", "account": .text(address.bare)])
    }

    static let accounts = Command(
        name: "accounts", summary: "list the accounts that are signed in on this computer", connects: false
    ) { invocation in
        try invocation.requireNoArguments()
        let file = try AccountFile()
        if file.accounts.isEmpty {
            invocation.showText(localized("No account yet; begin with `hongyan register` or `login`."))
        }
        for account in file.accounts {
            let isCurrent = account.address == file.current?.address
            invocation.show(
                (isCurrent ? "* " : "  ") + account.address.description,
                json: [
                    "account": .text(account.address), "current": .bool(isCurrent), "host": .text(account.host),
                    "port": .count(account.port), "encryption": .string(EncryptionChoice(account.encryption).word),
                ])
        }
    }

    /// Saves credentials that the server has accepted.
    private static func save(
        _ signIn: SignIn, _ mechanism: String?, _ invocation: Invocation, done: String, event: String,
        _ encryption: EncryptionChoice?
    ) async throws(CommandError) {
        try CommandError.inProfile { () throws(ProfileFailure) in
            var accounts = try AccountFile()
            try accounts.save(signIn.account(after: mechanism))
            if let encryption { try accounts.setEncryption(encryption.policy, of: signIn.address) }
        }
        let place =
            signIn.source == .certificate
            ? nil : await PasswordSource.save(signIn.password, for: signIn.address)
        invocation.show(done, json: ["event": .string(event), "account": .text(signIn.address.bare)])
        if let place { StandardOutput.report(place) }
    }
}

extension Invocation {
    /// The options, with the account as the first argument for commands that take one.
    func namedAccount() throws(CommandError) -> ConnectionOptions {
        guard let text = arguments.first else { return connection }
        guard arguments.count == 1, connection.address == nil else {
            throw .usage(localized("Name one account, as the argument or with --jid."))
        }
        var values = options
        values["jid"] = text
        return try ConnectionOptions(values)
    }
}

/// The registration form of a server: the user is asked for everything except name and password.
enum RegistrationQuestions {
    /// The answers of the user at the terminal; `nil` without a terminal.
    static func answers(to query: RegistrationQuery) async -> [String: [String]]? {
        if let words = query.instructions { StandardOutput.report(TerminalText.harmless(words)) }
        var answers: [String: [String]] = [:]
        for (name, label) in questions(in: query) {
            let prompt = TerminalText.harmless(label) + ": "
            guard let answer = await onOwnThread({ TerminalMode.readLine(prompt: prompt) }) else { return nil }
            answers[name] = [answer]
        }
        return answers
    }

    /// The fields that need an answer: the required ones of the form, or all simple ones.
    private static func questions(in query: RegistrationQuery) -> [(name: String, label: String)] {
        let known: Set = ["username", "password", "key"]
        guard let form = query.form else {
            return query.fields.map { ($0.name, $0.name) }.filter { !known.contains($0.0) }
        }
        return form.fields.compactMap { field in
            guard let name = field.name, field.isRequired, field.kind != .hidden, field.kind != .fixed,
                !known.contains(name)
            else { return nil }
            return (name, field.label ?? name)
        }
    }
}
