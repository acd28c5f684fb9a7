import Automation
import ChatStore
import Foundation
import ProgramFixtures
import Testing
import UserProfile
import XMPPAddress

@testable import CommandLine

@Suite struct HistoryCommandTests {
    private static let account = "juliet@capulet.test"
    private static let peer = "romeo@montague.test"

    private func run(
        _ arguments: [String], _ home: ProgramHome, environment: [String: String] = [:], input: String? = nil
    ) async throws -> Program.Result {
        try await Program("hongyan", arguments, home: home, environment: environment, input: input).result()
    }

    private func filled(count: Int = 10, queued: String? = nil) async throws -> (home: ProgramHome, queued: MessageID?)
    {
        let home = try ProgramHome()
        let waiting = try await StoredConversation(account: Self.account, peer: Self.peer).write(
            into: home, count: count, queued: queued)
        return (home, waiting)
    }

    @Test("stored messages are read page by page without a network, as text and as JSON")
    func pages() async throws {
        let home = try await filled().home
        let first = try await run(["history", Self.peer, "--limit", "3", "--json"], home)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.objects.compactMap { $0["body"] as? String } == ["message 8", "message 9", "message 10"])
        #expect(first.objects.first?["mine"] as? Bool == true)
        let number = try #require(first.objects.first?["id"] as? Int)
        #expect(first.errors.contains("--before \(number)"))
        let second = try await run(["history", Self.peer, "--limit", "100", "--before", "\(number)", "--json"], home)
        #expect(second.objects.compactMap { $0["body"] as? String } == (1...7).map { "message \($0)" })
        #expect(second.errors.isEmpty)

        let text = try await run(["history", Self.peer, "--before", "2026-03-04 05:03"], home)
        #expect(
            text.output == """
                2026-03-04 05:01  Romeo: message 1
                2026-03-04 05:02  me: message 2  👍  ✓

                """)
        #expect(
            try await run(["history", Self.peer, "--before", "2026-03-04"], home).output.contains(
                "There is no such history"))
        #expect(try await run(["history", Self.peer, "--before", "yesterday"], home).status == 2)
        #expect(try await run(["history", Self.peer, "--before", "999999"], home).status == 1)
        #expect(try await run(["history", Self.peer, "--limit", "0"], home).status == 2)
        #expect(try await run(["history", "nobody@x.test"], home).output.contains("There is no such history"))
        let list = try await run(["history"], home)
        #expect(list.output.hasPrefix("Romeo <\(Self.peer)> | 5 unread | 2026-03-04 05:10 | me: message 10"))
    }

    @Test("names are those of the chat: the published nickname, and the unescaped user name")
    func names() async throws {
        let home = try ProgramHome()
        let peer = #"d\27artagnan@musketeers.test"#
        _ = try await StoredConversation(account: Self.account, peer: peer, name: nil).write(into: home, count: 1)
        #expect(try await run(["history", peer], home).output.contains("d'artagnan: message 1"))
        let list = try await run(["history"], home)
        #expect(list.output.hasPrefix(#"d'artagnan <d\27artagnan@musketeers.test> |"#), "\(list.output)")
        let store = try await home.openStore()
        let (account, address) = (try JID(Self.account), try JID(peer))
        try await store.write { store throws(StoreError) in
            guard let account = try store.account(account) else { return }
            try store.savePublishedName("Charles", of: address, account: account.id)
        }
        await store.close()
        #expect(try await run(["history", peer], home).output.contains("Charles: message 1"))
        #expect(try await run(["history", "--json"], home).objects.first?["name"] as? String == "Charles")
    }

    @Test("words are found in one conversation or in all, also Chinese ones")
    func search() async throws {
        let home = try await filled(queued: "早上好，罗密欧").home
        let all = try await run(["history", "--search", "message 7", "--json"], home)
        #expect(all.objects.compactMap { $0["body"] as? String } == ["message 7"])
        let chinese = try await run(["history", Self.peer, "--search", "罗密欧"], home)
        #expect(chinese.output.contains("早上好，罗密欧"))
        #expect(try await run(["history", "--search", "nightingale"], home).output == "Nothing was found.\n")
        let limited = try await run(["history", "--search", "message", "--limit", "2", "--json"], home)
        #expect(limited.objects.compactMap { $0["body"] as? String } == ["message 9", "message 10"])
        #expect(limited.errors.contains("--before"))
    }

    @Test("an export imported elsewhere is the same conversation, also if it is imported twice")
    func transfer() async throws {
        let home = try await filled(count: 1200).home
        let file = home.path + "/all.jsonl"
        let exported = try await run(["export", file], home)
        #expect(exported.status == 0 && exported.output == "Written to \(file).\n", "\(exported.errors)")
        let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        #expect(permissions?.intValue == 0o600)
        let piped = try await run(["export"], home)
        #expect(try piped.output == String(contentsOfFile: file, encoding: .utf8))

        let other = try ProgramHome()
        let first = try await run(["import", file, "--json"], other)
        #expect(first.objects.first?["added"] as? Int == 1201, "\(first.errors)")
        let again = try await run(["import", "-"], other, input: piped.output)
        #expect(again.output == "0 imported, 1201 were already here.\n")
        let read = try await run(["history", Self.peer, "--limit", "2000", "--json"], other)
        #expect(read.objects.count == 1200)

        // With files it is a folder beside the file, and standard output has none.
        let files = try await run(["export", home.path + "/files.jsonl", "--files"], home)
        #expect(files.output == "Written to \(home.path)/files.jsonl; pictures and files: 0.\n", "\(files.errors)")
        #expect(try await run(["export", "--files"], home).status == 2)

        let broken = try home.write(
            "broken.jsonl", (piped.output.split(separator: "\n").prefix(5) + ["{nonsense"]).joined(separator: "\n"))
        let refused = try await run(["import", broken], try ProgramHome())
        #expect(refused.status == 1 && refused.errors.contains("Line 6 of"), "\(refused.errors)")
        #expect(try await run(["import", "/nowhere"], other).status == 1)
        #expect(try await run(["export", "/nowhere/x"], home).errors.contains("/nowhere/x cannot be written."))
        #expect(try await run(["export"], try ProgramHome()).status == 1)
    }

    @Test("a picture and a voice message come back with the files of an export, on the computer where it is imported")
    func transferOfFiles() async throws {
        let home = try await filled(count: 1).home
        let (account, peer) = (try JID(Self.account), try JID(Self.peer))
        let (old, new) = (Profile(folder: home.path + "/data/hongyan"), try ProgramHome())
        let media = try await old.openMedia(of: account)
        let contents: [(type: String, name: String, bytes: [UInt8])] = [
            ("image/png", "orchard.png", Array("\u{89}PNG orchard".utf8)),
            ("audio/ogg", "lark.ogg", Array(repeating: 7, count: 3_000_000)),
        ]
        var hashes: [ContentHash] = []
        let store = try await home.openStore()
        for (number, content) in contents.enumerated() {
            let hash = try await media.insert(content.bytes)
            hashes.append(hash)
            let attachment = Attachment(
                kind: number == 0 ? .picture : .voice, mediaType: content.type, name: content.name,
                size: Int64(content.bytes.count), contentHash: hash.description, isLocal: true)
            try await store.write { store throws(StoreError) in
                guard let id = try store.account(account)?.id else { return }
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: peer, isOutgoing: false, wireID: "f\(number)", originID: "f\(number)",
                        time: MessageTime(millisecondsSince1970: StoredConversation.start + 600_000 + Int64(number)),
                        content: .text(MessageText("", attachments: [attachment]))),
                    in: ConversationKey(account: id, address: peer, kind: .direct))
            }
        }
        await store.close()
        await media.close()

        let file = home.path + "/all.jsonl"
        let exported = try await run(["export", file, "--files"], home)
        #expect(exported.output == "Written to \(file); pictures and files: 2.\n", "\(exported.errors)")
        let imported = try await run(["import", file, "--json"], new)
        #expect(imported.objects.first?["files"] as? Int == 2, "\(imported.errors)")
        #expect(try await run(["import", file, "--json"], new).objects.first?["files"] as? Int == 0)

        let cache = try await Profile(folder: new.path + "/data/hongyan").openMedia(of: account)
        for (hash, content) in zip(hashes, contents) { #expect(try await cache.content(of: hash) == content.bytes) }
        await cache.close()
        let read = try await run(["history", Self.peer, "--json"], new).objects.compactMap {
            ($0["files"] as? [[String: Any]])?.first
        }
        #expect(read.compactMap { $0["kind"] as? String } == ["picture", "voice"], "\(read)")
        let paths = read.compactMap { $0["path"] as? String }
        let found = paths.map { FileManager.default.contents(atPath: $0).map(Array.init) }
        #expect(found == contents.map(\.bytes), "\(paths)")
    }

    @Test("waiting messages are listed and cancelled, and failed ones are sent again")
    func queue() async throws {
        let (home, queued) = try await filled(queued: "are you there?")
        let id = String(try #require(queued).rawValue)
        let list = try await run(["queue", "--json"], home)
        #expect(list.objects.count == 1)
        #expect(list.objects.first?["state"] as? String == "queued")
        #expect(list.objects.first?["id"] as? Int == Int(id))
        #expect(try await run(["queue"], home).output.contains("are you there?  … Waiting to be sent"))

        let store = try await home.openStore()
        let message = MessageID(rawValue: try #require(Int64(id)))
        try await store.write { store throws(StoreError) in
            try store.advance(message, to: .failed(FailureReason(.refused, condition: "service-unavailable")))
        }
        await store.close()
        #expect(
            try await run(["queue"], home).output.contains(
                "✗ Not sent: the address does not accept messages at the moment"))
        #expect(try await run(["queue", "retry", id], home).status == 0)
        #expect(try await run(["queue", "--json"], home).objects.first?["state"] as? String == "queued")
        #expect(try await run(["queue", "cancel", id], home).status == 0)
        #expect(try await run(["queue"], home).output.contains("No message is waiting"))
        #expect(try await run(["queue", "cancel", id], home).status == 1)
        #expect(try await run(["queue", "retry", "x"], home).status == 2)
        #expect(try await run(["queue", "shout"], home).status == 2)
    }

    @Test("two programs on one profile: the second one reads, or reports that it cannot write; only the owner can read")
    func inUse() async throws {
        let home = try await filled().home
        let alone = try await run(["export"], home)
        let store = try await home.openStore()
        for words in [["history", Self.peer], ["history"], ["export"], ["queue"]] {
            let result = try await run(words, home)
            #expect(result.status == 0 && result.errors.isEmpty, "\(words): \(result.errors)")
        }
        #expect(try await run(["export"], home).output == alone.output)
        for words in [["queue", "cancel", "1"], ["import", "-"], ["doctor", "--store"]] {
            let result = try await run(words, home)
            #expect(result.status == 5, "\(words)")
            #expect(
                result.errors
                    == "hongyan: Another program has \(home.storePath) open; close that one first, or use another folder with --profile.\n"
            )
        }
        let chinese = try await run(
            ["queue", "cancel", "1"], home,
            environment: ["LC_ALL": "", "LANG": "zh_CN.UTF-8", "HONGYAN_LOCALE_DIR": try await home.translations()])
        #expect(chinese.status == 5 && chinese.errors.contains("正被另一个程序使用"))
        await store.close()
        #expect(try await run(["history", Self.peer], home).status == 0)
        for (path, mode) in [(home.path + "/data/hongyan", 0o700), (home.storePath, 0o600)] {
            let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(found?.intValue == mode)
        }
    }

    @Test("JSON says how a message was encrypted, and nothing of a plain one")
    func protection() async throws {
        let home = try await filled().home
        let store = try await home.openStore()
        let protections: [MessageProtection] = [
            .encrypted(scheme: "urn:xmpp:omemo:2", device: "a1b2", trust: .verified),
            .notOpened(scheme: "urn:xmpp:omemo:2", reason: "key-missing"),
        ]
        let peer = try JID(Self.peer)
        let link = "aesgcm://files.test/1/x#" + String(repeating: "ab", count: 44)
        let copies = protections.enumerated().map { number, protection in
            MessageCopy(
                route: .live, sender: peer, isOutgoing: false, wireID: "p\(number)", originID: "p\(number)",
                time: MessageTime(millisecondsSince1970: 1_900_000_000_000 + Int64(number)),
                content: .text(MessageText(number == 0 ? "secret \(link)" : "")), protection: protection)
        }
        try await store.write { store throws(StoreError) in
            guard let account = try store.accounts().first?.id else { return }
            let key = ConversationKey(account: account, address: peer, kind: .direct)
            let sent = try store.send(
                OutgoingMessage(
                    sender: try store.accounts()[0].address, originID: "s",
                    time: MessageTime(millisecondsSince1970: 1_899_999_000_000), content: .text(MessageText("mine"))),
                in: key)
            try store.noteProtection(.none, unreadable: [.init(peer, device: "7", .undecided)], of: sent)
            for copy in copies { _ = try store.receive(copy, in: key) }
        }
        await store.close()
        let objects = try await run(["history", Self.peer, "--json"], home).objects
        #expect(objects.dropLast(2).allSatisfy { $0["protection"] == nil })
        let told = objects.suffix(2).map { $0["protection"] as? [String: String] }
        #expect(
            told == [
                ["state": "encrypted", "scheme": "urn:xmpp:omemo:2", "device": "a1b2", "trust": "verified"],
                ["state": "not-opened", "scheme": "urn:xmpp:omemo:2", "reason": "key-missing"],
            ])
        // `listen` writes the same.
        func line(_ copy: MessageCopy) throws -> ListenedLine? {
            let key = ConversationKey(account: AccountID(rawValue: 1), address: try JID(Self.peer), kind: .direct)
            return ListenedLine(copy, ListenedOrigin(copy, MessageID(rawValue: 1), in: key), target: nil)
        }
        for (copy, told) in zip(copies, told) {
            let shownLine = try #require(try line(copy))
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(shownLine.json.utf8)) as? [String: Any])
            #expect(object["protection"] as? [String: String] == told)
            #expect(object["body"] as? String == copy.content.text?.body.withoutFileKeys || copy.protection.isNotOpened)
            // The key of an encrypted file is in no output.
            #expect(!shownLine.json.contains("abab") && !shownLine.text.contains("abab"))
        }
        let shown = try await run(["history", Self.peer], home).output
        #expect(shown.contains("aesgcm://files.test/1/x#…") && !shown.contains("abab"))
        #expect(objects.last?["body"] as? String == "" && objects.dropLast().last?["body"] as? String != nil)
        #expect(!objects.contains { ($0["body"] as? String)?.contains("abab") ?? false })
        let unreadable = objects.compactMap { $0["unreadable"] as? [[String: String]] }
        #expect(unreadable == [[["address": Self.peer, "device": "7", "reason": "undecided"]]])
        var exposed = copies[0]
        exposed.protection = .clear
        #expect(try line(exposed)?.json.contains(#""protection":{"state":"clear"}"#) == true)
        var plain = copies[0]
        plain.protection = .none
        #expect(try line(plain)?.json.contains("protection") == false)
        #expect(try line(copies[1])?.text.contains("could not be decrypted") == true)
    }

    @Test("another profile has other conversations, chosen by option or by environment")
    func profiles() async throws {
        let home = try await filled().home
        let folder = home.path + "/second"
        let file = home.path + "/all.jsonl"
        _ = try await run(["export", file], home)
        #expect(
            try await run(["history", Self.peer, "--profile", folder], home).output.contains("There is no history yet")
        )
        #expect(try await run(["import", file, "--profile", folder], home).status == 0)
        let found = try await run(
            ["history", Self.peer, "--json"], home, environment: ["HONGYAN_PROFILE": folder])
        #expect(found.objects.count == 10)
        let permissions = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? NSNumber
        #expect(permissions?.intValue == 0o700)
    }

    @Test("the doctor checks the store and changes nothing; the next program repairs a damaged one")
    func doctor() async throws {
        let home = try await filled(queued: "waiting").home
        let well = try await run(["doctor", "--store", "--json"], home)
        #expect(well.status == 0, "\(well.errors)")
        let object = try #require(well.objects.first)
        #expect(object["well"] as? Bool == true && object["messages"] as? Int == 11 && object["queued"] as? Int == 1)
        let text = try await run(["doctor", "--store"], home)
        #expect(text.output.contains("✓ integrity") && text.output.contains("nothing is damaged"))

        // Overwrites the middle of the file.
        let handle = try #require(FileHandle(forUpdatingAtPath: home.storePath))
        try handle.seek(toOffset: 4096 * 3)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 4096 * 12))
        try handle.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: home.storePath))
        let damaged = try await run(["doctor", "--store"], home)
        #expect(damaged.status == 6, "\(damaged.output)\(damaged.errors)")
        #expect(damaged.output.contains("✗ integrity") && damaged.errors.contains("is damaged"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: home.storePath)) == before)

        try Data("no database at all, but long enough to be read as one".utf8).write(
            to: URL(fileURLWithPath: home.storePath))
        let nonsense = try await run(["doctor", "--store"], home)
        #expect(nonsense.status == 6)
        let mended = try await run(["history", Self.peer], home)
        #expect(mended.status == 0 && mended.errors.contains("was damaged"), "\(mended.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: home.path + "/data/hongyan").contains {
                $0.contains(".damaged-1")
            })
        #expect(try await run(["doctor", "--store"], try ProgramHome()).output.contains("There is no history yet"))
    }

    @Test(
        "a failure of the store is one message, in both languages, with its own status",
        arguments: [
            (StoreError.Code.inUse, Int32(5)), (.tooNew, 6), (.diskFull, 6), (.readOnly, 6), (.corrupt, 6),
            (.cannotOpen, 6), (.system, 6),
        ])
    func sentences(_ code: StoreError.Code, _ status: Int32) {
        let error = CommandError(StoreError(code, "A reason."))
        #expect(error.status.rawValue == status)
        #expect(error.description.hasSuffix(".") && error.description.contains("chat.db"))
    }

    @Test(
        "times are parsed as people write them",
        arguments: [
            ("2026-03-04T05:00:00Z", HistoryPoint.time(MessageTime(millisecondsSince1970: 1_772_600_400_000))),
            ("4711", .message(MessageID(rawValue: 4711))),
        ])
    func points(_ text: String, _ expected: HistoryPoint) throws {
        #expect(try HistoryPoint(text) == expected)
        #expect(throws: CommandError.self) { try HistoryPoint(text + "x") }
    }
}
