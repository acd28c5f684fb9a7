internal import ChatEngine
internal import ChatStore
internal import Foundation
internal import JSONRPC
internal import Localization
internal import Profiles
internal import Roster
internal import TerminalApp
internal import UserProfile
internal import XMLStreaming
internal import XMPPAddress
internal import XMPPClient

extension Command {
    /// What an account has on its server, as a file of XEP-0227, and a move to another server (XEP-0283).
    static let account = Command(
        name: "account", synopsis: "export [FILE|-] | import FILE|- | move ADDRESS",
        summary: "take contacts, rooms and profile to another account or server",
        options: [
            .init("from", value: "ADDRESS", "with `account import`: the account in the file, if it has several"),
            .init("moved", "with `account import`: tell the contacts that they know you by the address in the file"),
        ],
        remarks: {
            [
                localized(
                    "The file has the contacts, rooms, profile and blocked addresses of the account in the format of XEP-0227; some servers read it, too. It has no messages and no keys."
                ),
                localized("An import adds what is missing and replaces nothing. Contacts get a request."),
                localized(
                    "`account move` publishes the new address on the old account; with the account's own address it takes that back."
                ),
            ].joined(separator: "\n")
        }
    ) { invocation in
        let arguments = invocation.arguments
        let isImport = arguments.first == "import"
        guard isImport || !invocation.options.has("moved"), isImport || invocation.options["from"] == nil else {
            throw CommandError.usage(localized("--from and --moved are for `hongyan account import`."))
        }
        switch (arguments.first, arguments.count) {
        case ("export", 1...2): try await exportAccount(to: arguments.dropFirst().first, invocation)
        case ("import", 2): try await importAccount(from: arguments[1], invocation)
        case ("move", 2): try await moveAccount(to: arguments[1], invocation)
        default:
            throw CommandError.usage(
                localized("Say `account export [FILE]`, `account import FILE` or `account move ADDRESS`."))
        }
    }

    /// The size of a file that is read whole: a thousand contacts with pictures have some MiB.
    private static let fileLimit = 64 << 20

    private static func exportAccount(to path: String?, _ invocation: Invocation) async throws {
        let path = path == "-" ? nil : path
        try await invocation.withTransfer { transfer, _, _ in
            let account = try await transfer.account()
            let bytes =
                Array("<?xml version='1.0' encoding='UTF-8'?>\n".utf8)
                + Array(XMLElement(PortableAccounts([account])).description.utf8) + [UInt8(ascii: "\n")]
            do throws(HistoryFileFailure) {
                let file = try WholeFile(path)
                do throws(StoreError) {
                    try file.write(bytes)
                } catch {
                    file.discard()
                    throw WholeFile.failure(path)
                }
                try file.finish()
            } catch {
                throw CommandError(error)
            }
            if let path {
                invocation.show(localized("Written to %@.", path), json: ["event": "exported", "path": .string(path)])
            }
        }
    }

    private static func importAccount(from path: String, _ invocation: Invocation) async throws {
        let account = try contents(of: try chosen(try accounts(in: path), path, invocation), path)
        try await invocation.withTransfer { transfer, _, signIn in
            let hasMoved = invocation.options.has("moved")
            if hasMoved, account.address == signIn.address.bare {
                throw CommandError.usage(localized("The file is of this account, which has not moved."))
            }
            let report = try await transfer.add(account, movedFrom: hasMoved ? account.address : nil)
            invocation.show(
                localized(
                    "Added: contacts %1$@, rooms %2$@, parts of the profile %3$@, blocked addresses %4$@. Already there: %5$@.",
                    report.contacts, report.rooms, report.profile, report.blocked, report.known),
                json: [
                    "event": "account-imported", "contacts": .integer(report.contacts), "rooms": .integer(report.rooms),
                    "profile": .integer(report.profile), "blocked": .integer(report.blocked),
                    "known": .integer(report.known), "unknown": .array(report.unknown.map(JSONValue.string)),
                ])
            if !report.unknown.isEmpty {
                let names = report.unknown.map { TerminalText.harmless($0) }.joined(separator: ", ")
                StandardOutput.report(localized("Not imported: %@", names))
            }
        }
    }

    private static func moveAccount(to text: String, _ invocation: Invocation) async throws {
        try await invocation.withTransfer { _, session, signIn in
            guard let new = try? JID(text), new.local != nil, new.isBare else {
                throw CommandError.usage(localized("“%@” is no address of an account.", text))
            }
            let profiles = try session.extensionInUse(Profiles.self)
            let isBack = new == signIn.address.bare
            do throws(ProfileError) {
                if isBack { try await profiles.withdrawMove() } else { try await profiles.publishMove(to: new) }
            } catch {
                throw error.cause.map { CommandError($0) } ?? CommandError.failed(error.description)
            }
            invocation.show(
                isBack
                    ? localized("%@ does not say any more that it has moved.", signIn.address.bare)
                    : localized("%1$@ says that it has moved to %2$@.", signIn.address.bare, new),
                json: ["event": isBack ? "stayed" : "moved", "account": .text(signIn.address.bare), "to": .text(new)])
        }
    }

    // MARK: The file

    private static func accounts(in path: String) throws(CommandError) -> [PortableAccounts.Account] {
        let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let handle, let data = try? handle.read(upToCount: fileLimit + 1) ?? Data() else {
            throw .failed(localized("The file %@ cannot be read.", path))
        }
        guard data.count <= fileLimit else { throw .failed(localized("The file %@ is too large.", path)) }
        var limits = XMLLimits.default
        limits.elementBytes = fileLimit
        do {
            return try PortableAccounts(from: XMLElement(parsing: Array(data), limits: limits)).accounts
        } catch {
            throw .failed(localized("The file %@ is no file of accounts (XEP-0227).", path))
        }
    }

    /// An account of which a part cannot be read is no account without that part.
    private static func contents(
        of account: PortableAccounts.Account, _ path: String
    ) throws(CommandError) -> TransferredAccount {
        do throws(XMLDecodingError) {
            return try TransferredAccount(account)
        } catch {
            throw .failed(
                localized(
                    "A part of the file %1$@ cannot be read, so nothing was imported: %2$@", path,
                    TerminalText.harmless(error.description)))
        }
    }

    private static func chosen(
        _ accounts: [PortableAccounts.Account], _ path: String, _ invocation: Invocation
    ) throws(CommandError) -> PortableAccounts.Account {
        if let text = invocation.options["from"] {
            guard let found = accounts.first(where: { $0.address.description == text }) else {
                throw .failed(localized("%1$@ is not in the file %2$@.", text, path))
            }
            return found
        }
        guard let only = accounts.first else { throw .failed(localized("There is no account in the file %@.", path)) }
        guard accounts.count == 1 else {
            let names = accounts.prefix(10).map(\.address.description).joined(separator: ", ")
            throw .usage(localized("The file has several accounts; choose one with --from: %@", names))
        }
        return only
    }
}

extension Invocation {
    /// Runs `body` in a session whose contacts are known.
    fileprivate func withTransfer(_ body: (AccountTransfer, Session, SignIn) async throws -> Void) async throws {
        try await withContacts(AccountTransfer.prepare) { session, signIn in
            try await body(try await AccountTransfer(session), session, signIn)
        }
    }
}
