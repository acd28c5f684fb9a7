import ChatFixtures
import ChatModel
import ChatStore
import CredentialStore
import Foundation
import Testing
import TransportLayer
import XMPPAddress
import XMPPClient

@testable import UserProfile

/// Whole profiles of earlier programs: conversations, accounts, preferences, passwords, keys and media, in the folders and
/// forms in which those programs left them.
@Suite("Profiles of earlier programs")
@MainActor
struct EarlierProfileTests {
    /// A profile as one program wrote it.
    enum Age: CaseIterable, Sendable {
        /// Of 23 November 2026, before encryption.
        case beforeEncryption
        /// Of the release 0.1.0.
        case release

        var storeVersion: Int { self == .release ? 10 : 3 }

        var accounts: String {
            let encryption =
                self == .release
                ? #""encryption" : "whenPossible", "lastMechanism" : "SCRAM-SHA-256-PLUS","# : ""
            return """
                {
                  "accounts" : [ {
                    "address" : "juliet@capulet.example", \(encryption)
                    "host" : "xmpp.capulet.example", "port" : 5222,
                    "trustedCertificates" : [ "\(String(repeating: "ab", count: 32))" ],
                    "userAgent" : "0b9e1f9a-6f0e-4a52-b2f5-2f8e6c2f1a11"
                  } ],
                  "current" : "juliet@capulet.example"
                }
                """
        }

        var preferences: String {
            let later =
                self == .release
                ? """
                , "checksSpelling" : false, "describesLinks" : true, "hasToldOfBackground" : true, "minutesUntilAway" : 5,
                "playsSound" : false, "sendsWithReturn" : false, "zoom" : 1.25,
                "window" : { "height" : 600, "isMaximized" : false, "width" : 800 }
                """ : ""
            return """
                {
                  "availability" : "doNotDisturb", "colourScheme" : "dark", "runsInBackground" : false,
                  "showsNotifications" : false, "showsTextInNotifications" : false, "statusText" : "At the balcony",
                  "tellsReceipts" : false, "tellsTyping" : false\(later)
                }
                """
        }
    }

    private static let stores =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().path + "/ChatStoreTests/Fixtures"
    private static let seed = (0..<32).map { UInt8($0) }
    private static let recording = Array("OggS, so to speak".utf8)

    /// Writes the profile below `folder`.
    private func write(_ age: Age, in folder: String) throws -> Profile {
        let profile = Profile(folder: folder + "/profile")
        let hash = ContentHash(of: Self.recording)
        let account = "juliet@capulet.example"
        let files: [(path: String, content: Data)] = [
            ("config/accounts.json", Data(age.accounts.utf8)),
            ("profile/preferences.json", Data(age.preferences.utf8)),
            ("profile/media/\(account)/kept/\(hash)", Data(Self.recording)),
            ("profile/files/\(account)/letter.txt", Data("Wherefore art thou?".utf8)),
            ("secrets/passwords", Data("hongyan-passwords 1\n\(account) R0m30%20\n".utf8)),
            ("secrets/tokens", Data("hongyan-tokens 1\n\(account) AAECAw==\n".utf8)),
            (
                "secrets/identity-keys",
                Data(
                    "hongyan-identity-keys 1\n\(account)%20\(folder)/profile \(Data(Self.seed).base64EncodedString())\n"
                        .utf8)
            ),
        ]
        for (path, content) in files where age == .release || !path.hasSuffix("identity-keys") {
            let path = "\(folder)/\(path)"
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try #require(
                FileManager.default.createFile(atPath: path, contents: content, attributes: [.posixPermissions: 0o600]))
        }
        try FileManager.default.copyItem(
            atPath: "\(Self.stores)/version-\(age.storeVersion).db", toPath: profile.storePath)
        return profile
    }

    @Test("a profile opens with nothing lost, at every start", arguments: Age.allCases)
    func opens(_ age: Age) async throws {
        let folder = NSTemporaryDirectory() + "profile-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let profile = try write(age, in: folder)
        for _ in 0..<2 {
            let store = try await profile.open(for: .writing)
            #expect(store.report.salvage == nil)
            let accounts = ProfileAccounts(profile: profile, directory: folder + "/config") {
                CredentialStore.inFile(folder: folder + "/secrets")
            }
            let home = ChatHome(store: store, accountStorage: accounts, preferences: await profile.preferences())
            home.prepare = { configuration in
                configuration.transports = TransportFactory { _ throws(TransportError) in
                    throw TransportError(.connectionRefused, "none")
                }
            }
            await home.start()
            try await look(at: home, age)
            try await lookAtSecrets(accounts, profile, age)
            await home.stop()
            #expect(try await store.verify().isEmpty)
            await store.close()
        }
        // What the next version of the program, or an earlier one, would read.
        let saved = try #require(AccountFile(directory: folder + "/config").accounts.first)
        #expect(saved.userAgent == "0b9e1f9a-6f0e-4a52-b2f5-2f8e6c2f1a11")
        #expect(FileManager.default.fileExists(atPath: profile.filesFolder(of: saved.address) + "/letter.txt"))
    }

    /// What a person sees in the windows.
    private func look(at home: ChatHome, _ age: Age) async throws {
        let account = try #require(home.accounts.rows.elements.first)
        #expect(home.accounts.rows.elements.map(\.address.description) == ["juliet@capulet.example"])
        #expect(account.isEnabled && account.need == nil)

        #expect(await eventually { home.conversations.rows.elements.count == 2 })
        let rows = home.conversations.rows.elements
        let romeo = try #require(rows.first { !$0.isRoom })
        let room = try #require(rows.first { $0.isRoom })
        #expect(romeo.title == "Romeo" && romeo.draft == "O Romeo" && romeo.unreadCount == 1)
        #expect(room.isMarkedUnread && room.unreadCount == 1)
        #expect(await eventually { home.contacts.rows.elements.map(\.name) == ["Romeo"] })

        let timeline = Timeline(romeo.key, store: home.store)
        await timeline.open()
        let messages = timeline.items.elements.compactMap { item -> TimelineMessage? in
            if case .message(let message) = item { message } else { nil }
        }
        #expect(
            messages.map(\.text.body) == ["But soft!", "What light through yonder window breaks?", "鸿雁传书", "Ay me!"])
        #expect(messages.map(\.isEdited) == [true, false, false, false])
        #expect(messages.map(\.isOutgoing) == [false, false, false, true])
        #expect(messages.map { $0.reactions.map(\.emoji) } == [[], ["🌹"], [], []])
        let voice = try #require(messages.last?.text.attachments.first)
        #expect(voice.kind == .voice && voice.name == "voice.ogg" && voice.duration == 900)
        await timeline.close()

        let id = account.id
        let (waiting, rooms, records) = try await home.store.read { store throws(StoreError) in
            (
                try store.sendQueue(of: id), try store.rooms(of: id),
                try store.protectionRecords(of: id, beginningWith: "")
            )
        }
        #expect(rooms.map(\.nickname) == ["Juliet"])
        #expect(waiting.map(\.message.text.body) == ["Ay me!"])
        #expect(records.map(\.name) == (age == .release ? ["identity"] : []))
        let media = try #require(home.media(of: account.id))
        #expect(await media.file(of: ContentHash(of: Self.recording)) != nil)

        let values = home.preferences.values
        #expect(values.availability == .doNotDisturb && values.statusText == "At the balcony")
        #expect(values.colourScheme == .dark && !values.runsInBackground)
        #expect(!values.showsNotifications && !values.showsTextInNotifications)
        #expect(!values.tellsReceipts && !values.tellsTyping)
        #expect(values.zoom == (age == .release ? 1.25 : 1) && values.minutesUntilAway == (age == .release ? 5 : 10))
        #expect(values.playsSound == (age != .release) && values.sendsWithReturn == (age != .release))
        #expect(values.checksSpelling == (age != .release) && values.describesLinks == (age == .release))
        #expect(values.window.width == (age == .release ? 800 : 1000))
    }

    /// What the next connection needs.
    private func lookAtSecrets(_ accounts: ProfileAccounts, _ profile: Profile, _ age: Age) async throws {
        let juliet = try JID("juliet@capulet.example")
        let access = try #require(try await accounts.accesses().first)
        #expect(access.host == "xmpp.capulet.example" && access.port == 5222)
        #expect(access.trustedCertificates.count == 1)
        #expect(try await accounts.password(of: juliet) == "R0m30 ")
        let encryption = await accounts.encryption(of: juliet)
        #expect(encryption?.policy == (age == .release ? .whenPossible : nil))
        let seeds = try await encryption?.identities.search().seeds.map(\.bytes)
        #expect(seeds == (age == .release ? [Self.seed] : nil))
    }
}
