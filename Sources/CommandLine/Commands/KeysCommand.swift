internal import ChatEngine
internal import ChatModel
internal import Glibc
internal import JSONRPC
internal import Localization
internal import QRCodes
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress

extension Command {
    static let keys = Command(
        name: "keys", synopsis: "[ADDRESS|COMMAND …]",
        summary: "list the devices that read encrypted messages; verify, trust, forget and remove them",
        options: [.init("qr", "with `keys link`: also print the link as a code to scan")], usesProfile: true,
        remarks: {
            KeyRequest.usage.map { "  hongyan " + $0 }.joined(separator: "\n") + "\n\n"
                + localized("A policy is always, when-possible or never; off for an account, default for a contact.")
        }
    ) { invocation in
        let account = try invocation.requireAccount()
        switch try KeyRequest(invocation.arguments, of: account, timeout: invocation.connection.timeout) {
        case .account(let choice): try setPolicy(choice, of: account, invocation)
        case .order(let order):
            guard !invocation.options.has("qr") || order.action == .link else {
                throw CommandError.usage(localized("--qr is for `hongyan keys link`."))
            }
            try show(try await carryOut(order, invocation), of: order, invocation)
        }
    }

    /// Through the program that uses the profile, or with a separate connection.
    private static func carryOut(_ order: KeyOrder, _ invocation: Invocation) async throws -> KeyAnswer {
        // Nothing is kept for an account without encryption, so there is nothing to connect for.
        let isOff = try CommandError.inProfile { () throws(ProfileFailure) in
            try AccountFile().account(order.account)?.encryption == nil
        }
        return try await invocation.profile.withHolder { client in
            do throws(JSONRPCError) {
                return try await client.call("keys", order) { (_: Bool) in }
            } catch {
                throw KeyFailure(error) ?? error as any Error
            }
        } orOpen: { store in
            if isOff { throw KeyFailure(.off) }
            let signIn = try await SignIn(invocation.connection)
            return try await OnlineAccount.whileConnected(signIn, in: store, invocation.profile) { error in
                (error as? KeyFailure)?.cause
            } _: { account in
                try await KeyWork(account, isStarting: true).perform(order)
            }
        }
    }

    private static func setPolicy(_ choice: EncryptionChoice?, of account: JID, _ invocation: Invocation) throws {
        try CommandError.inProfile { () throws(ProfileFailure) in
            var accounts = try AccountFile()
            guard let entry = accounts.account(account) else { return }
            if let choice { try accounts.setEncryption(choice.policy, of: account) }
            let word = (choice ?? EncryptionChoice(entry.encryption)).word
            invocation.show(
                localized("Encryption of %@: %@", account, word),
                json: ["event": "policy", "account": .text(account), "policy": .string(word)])
            if choice != nil {
                StandardOutput.report(localized("Programs that are running use it after their next start."))
            }
        }
    }

    // MARK: Output

    private static func show(_ answer: KeyAnswer, of order: KeyOrder, _ invocation: Invocation) throws {
        if !answer.isOnline {
            StandardOutput.report(localized("Offline: only what is stored here is known."))
        }
        func show(_ event: String, _ text: (KeyReport) -> String) {
            for device in answer.devices {
                invocation.show(text(device), json: JSONValue([("event", .string(event))] + device.members))
            }
        }
        switch order.action {
        case .list:
            if answer.devices.isEmpty {
                invocation.showText(localized("%@ has no devices with encryption.", order.address ?? order.account))
            }
            show("key") { $0.lines }
        case .verify: try showVerified(answer, of: order, invocation)
        case .trust: show("trusted") { $0.lines }
        case .distrust: show("distrusted") { $0.lines }
        case .forget: show("forgotten") { localized("Forgotten: %@", $0.lines) }
        case .publish: show("published") { localized("Published again: %@", $0.lines) }
        case .remove: show("removed") { localized("Removed from the account: %@", $0.lines) }
        case .link: try showLink(answer.link ?? "", invocation)
        case .policy, .setPolicy:
            guard let policy = answer.policy, let address = order.address else { return }
            let word = policy.word + (answer.isOwnPolicy == true ? "" : " " + localized("(as the account)"))
            invocation.show(
                localized("Encryption of %@: %@", address, word),
                json: [
                    "event": "policy", "account": .text(order.account), "address": .text(address),
                    "policy": .string(policy.word), "own": .bool(answer.isOwnPolicy == true),
                ])
        case .unused:
            guard let isExcluding = answer.excludesUnused else { return }
            invocation.show(
                isExcluding
                    ? localized("Messages are not encrypted for devices that were not used for a month.")
                    : localized("Messages are also encrypted for devices that were not used for a month."),
                json: ["event": "unused", "account": .text(order.account), "excluded": .bool(isExcluding)])
        case .audit: try showFindings(answer.findings, invocation)
        }
    }

    private static func showVerified(
        _ answer: KeyAnswer, of order: KeyOrder, _ invocation: Invocation
    ) throws {
        let outcome = answer.verification?.outcome
        for device in answer.devices {
            let isVerified = outcome?.distrusted.contains(device.fingerprint ?? "") != true
            invocation.show(
                device.lines,
                json: JSONValue([("event", .string(isVerified ? "verified" : "distrusted"))] + device.members))
        }
        guard let outcome else { return }
        let groups = [(outcome.unknown, "unknown"), (outcome.contradicting, "contradicting")]
        for (fingerprints, event) in groups where invocation.isJSON {
            for fingerprint in fingerprints {
                let object: JSONValue = ["event": .string(event), "fingerprint": .string(fingerprint)]
                StandardOutput.writeLine(object.description)
            }
        }
        let sentence = Wording.verification(outcome, of: order.address ?? order.account)
        guard outcome.contradicting.isEmpty, !outcome.verified.isEmpty || !outcome.distrusted.isEmpty else {
            throw CommandError.failed(sentence)
        }
        invocation.showText(sentence)
    }

    /// The link, and the code for a scanner.
    private static func showLink(_ link: String, _ invocation: Invocation) throws(CommandError) {
        if invocation.options.has("qr") {
            guard let code = QRCode(link) else {
                throw .failed(localized("There are too many verified devices for one code; use the link."))
            }
            let isColoured = isatty(STDOUT_FILENO) == 1
            for line in QRText.lines(
                size: code.size, margin: QRCode.quietZone, isColoured: isColoured, isDark: code.isDark)
            {
                invocation.showText(line)
            }
        }
        invocation.show(link, json: ["event": "link", "uri": .string(link)])
    }

    private static func showFindings(_ findings: [KeyFinding], _ invocation: Invocation) throws {
        for finding in findings {
            invocation.show(
                finding.lines,
                json: JSONValue(
                    [
                        ("event", "finding"), ("problem", .string(finding.problem.rawValue)),
                        ("count", .count(finding.count)), ("node", .text(finding.node)),
                        ("accessModel", .text(finding.accessModel)),
                    ]
                        + (finding.device?.members ?? [("account", .text(finding.account))])))
        }
        guard !findings.isEmpty else { return invocation.showText(localized("Nothing deserves attention.")) }
        throw CommandError.failed(
            localized("%@ thing deserves attention.", plural: "%@ things deserve attention.", count: findings.count))
    }
}
