import ChatStore
import Foundation
import ProgramFixtures
import PublishSubscribe
import ServerFixtures
import ServiceDiscovery
import Testing
import XMPPAddress
import XMPPClient

@testable import CommandLine

/// `hongyan keys`, and what the other commands say about encryption, with programs on a real server.
@Suite("Keys on the command line", .timeLimit(.minutes(20)))
struct KeysCommandTests {
    /// Two people with saved accounts, whose devices are announced.
    private static func people(_ policy: String = "when-possible") async throws -> (juliet: Person, romeo: Person) {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        for person in [juliet, romeo] {
            try await person.run("login", "--encryption", policy)
            try await person.run("keys", "publish")
        }
        return (juliet, romeo)
    }

    private static func fingerprint(of person: Person) async throws -> String {
        let own = try await person.run("keys", "--json").objects.first { $0["thisDevice"] as? Bool == true }
        return try #require(own?["fingerprint"] as? String)
    }

    private static func state(of object: [String: Any]?) -> String? {
        (object?["protection"] as? [String: Any])?["state"] as? String
    }

    @Test("a login saves whether messages are encrypted, and keeps it; any other value is refused")
    func login() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        func saved() async throws -> String? {
            try await juliet.bare(["accounts", "--json"]).objects.first?["encryption"] as? String
        }
        #expect(try await juliet.bare(["login"] + juliet.connection()).status == 0)
        #expect(try await saved() == "when-possible", "encryption is on from the first login")
        try await juliet.run("login", "--encryption", "sometimes", expecting: 2)
        try await juliet.run("login", "--encryption", "always")
        #expect(try await saved() == "always")
        #expect(try await juliet.bare(["login"] + juliet.connection()).status == 0)
        #expect(try await saved() == "always")
        for word in ["when-possible", "never", "off"] {
            let result = try await juliet.bare(["keys", "policy", word, "--json"])
            #expect(result.status == 0 && result.objects.first?["policy"] as? String == word, "\(result.errors)")
            #expect(try await saved() == word)
        }
        // Without encryption there is nothing to list, and the message says how to turn it on.
        let off = try await juliet.bare(["keys"])
        #expect(off.status == 1 && off.errors.contains("`hongyan keys policy when-possible`"))
        for words in [["keys", "verify"], ["keys", "remove", "x"], ["keys", "verify", "no link"], ["keys", "--qr"]] {
            #expect(try await juliet.bare(words).status == 2, "\(words)")
        }
    }

    @Test("what is encrypted is shown as such by send, listen and history, and the contact's device with its key")
    func encrypted() async throws {
        let (juliet, romeo) = try await Self.people()
        let his = try await romeo.listen("--count", "1")
        let sent = try await juliet.run("send", romeo.address, "good morrow", "--encrypted", "--json")
        #expect(Self.state(of: sent.objects.first) == "encrypted")
        let heard = await his.result().objects.first { $0["event"] as? String == "message" }
        #expect(heard?["body"] as? String == "good morrow" && Self.state(of: heard) == "encrypted")
        let history = try await romeo.bare(["history", juliet.address, "--json"]).objects
        #expect(history.first?["body"] as? String == "good morrow" && Self.state(of: history.first) == "encrypted")
        let text = try await romeo.bare(["history", juliet.address]).output
        #expect(text.contains("🔒"))
        let hers = try await Self.fingerprint(of: juliet)
        let devices = try await romeo.run("keys", juliet.address, "--json").objects
        #expect(devices.count == 1 && devices.first?["fingerprint"] as? String == hers)
        #expect(devices.first?["trust"] as? String == "trusted" && devices.first?["announced"] as? Bool == true)
        let shown = try await romeo.run("keys", juliet.address).output
        #expect(shown.contains(hers.prefix(8) + " " + hers.dropFirst(8).prefix(8)))
    }

    @Test("a message that could not be decrypted is reported, and once more when its copy is here")
    func copy() async throws {
        let (juliet, romeo) = try await Self.people()
        let hers = try await juliet.listen()
        var his = try await romeo.listen()
        // Each has a session with the other, and may know that the other is there.
        for (sender, receiver, program) in [(juliet, romeo, his), (romeo, juliet, hers)] {
            let sent = try await sender.bare(["send", receiver.address, "of \(sender.address)", "--encrypted"])
            #expect(sent.status == 0, "\(sent.errors)")
            try await program.waitForOutput("the message") { $0.contains("of \(sender.address)") }
        }
        his.signal(SIGTERM)
        _ = await his.result()
        // As if his profile was damaged.
        let store = try await romeo.home.openStore()
        let address = try JID(romeo.address)
        try await store.write { writer throws(StoreError) in
            let account = try writer.addAccount(address)
            let sessions = try writer.protectionRecords(of: account, beginningWith: "omemo/session/")
            try writer.save(ProtectionChange(sessions.map { .init($0.name, nil) }), of: account)
        }
        await store.close()
        his = try await romeo.listen()
        #expect(try await juliet.bare(["send", romeo.address, "lost and found", "--encrypted"]).status == 0)
        try await his.waitForOutput("the copy") { $0.contains("lost and found") }
        let seen = Program.objects(his.output).filter { $0["event"] as? String == "message" }
        #expect(seen.map { Self.state(of: $0) } == ["not-opened", "encrypted"])
        #expect((seen.first?["protection"] as? [String: Any])?["reason"] as? String == "requested")
        #expect(seen.map { $0["body"] as? String } == [nil, "lost and found"])
        #expect(Set(seen.map { $0["id"] as? String }).count == 1)
        let history = try await romeo.bare(["history", juliet.address, "--json"]).objects
        #expect(history.count { $0["body"] as? String == "lost and found" } == 1)
        #expect(history.allSatisfy { Self.state(of: $0) == "encrypted" })
        for program in [his, hers] { program.signal(SIGTERM) }
    }

    @Test("whether messages are encrypted for unused devices is shown, and stays as it was set")
    func unused() async throws {
        let (juliet, _) = try await Self.people()
        var seen: [Bool?] = []
        func note(_ result: Program.Result) { seen.append(result.objects.first?["excluded"] as? Bool) }
        note(try await juliet.run("keys", "unused", "--json"))
        note(try await juliet.run("keys", "unused", "exclude", "--json"))
        note(try await juliet.run("keys", "unused", "--json"))
        note(try await juliet.run("keys", "unused", "include", "--json"))
        #expect(seen == [false, true, true, false])
        #expect(try await juliet.run("keys", "unused").output.contains("also encrypted"))
        try await juliet.run("keys", "unused", "sometimes", expecting: 2)
    }

    @Test("a key is verified by its whole fingerprint or by a link, distrusted, trusted and forgotten")
    func decisions() async throws {
        let (juliet, romeo) = try await Self.people()
        let hers = try await Self.fingerprint(of: juliet)
        func trust() async throws -> String? {
            try await romeo.run("keys", juliet.address, "--json").objects.first?["trust"] as? String
        }
        let wrong = String(hers.reversed())
        let refused = try await romeo.run("keys", "verify", juliet.address, wrong, expecting: 1)
        #expect(refused.errors.contains("No device with this key"))
        // A part of a fingerprint compares nothing.
        try await romeo.run("keys", "verify", juliet.address, String(hers.prefix(16)), expecting: 2)
        #expect(try await trust() == "trusted")
        let groups = stride(from: 0, to: 64, by: 8).map { String(hers.dropFirst($0).prefix(8)).uppercased() }
        let verified = try await Program(
            "hongyan", ["keys", "verify", juliet.address] + groups + romeo.connection(), home: romeo.home
        ).result()
        #expect(verified.status == 0 && verified.output.contains("Verified"), "\(verified.errors)")
        #expect(try await trust() == "verified")
        try await romeo.run("keys", "distrust", juliet.address, String(hers.prefix(8)))
        #expect(try await trust() == "distrusted")
        let unsent = try await romeo.run("send", juliet.address, "not for her", "--encrypted", expecting: 1)
        #expect(unsent.errors.contains("cannot be encrypted"))
        let link = try #require(try await juliet.run("keys", "link", "--json").objects.first?["uri"] as? String)
        // A link does not overrule a decision.
        let contradicting = try await romeo.run("keys", "verify", link, "--json", expecting: 1)
        #expect(contradicting.objects.first?["event"] as? String == "contradicting")
        #expect(try await trust() == "distrusted")
        try await romeo.run("keys", "trust", juliet.address, hers)
        try await romeo.run("keys", "verify", link)
        #expect(try await trust() == "verified")
        try await romeo.run("keys", "verify", try await Self.link(of: romeo), expecting: 0)
        let forgotten = try await romeo.run("keys", "forget", juliet.address, hers)
        #expect(forgotten.output.contains("Forgotten"))
        #expect(try await trust() == "trusted")
    }

    private static func link(of person: Person) async throws -> String {
        try #require(try await person.run("keys", "link", "--json").objects.first?["uri"] as? String)
    }

    @Test("the code of the link has as many columns as rows, and a light margin; JSON has the link alone")
    func code() async throws {
        let (juliet, _) = try await Self.people()
        let lines = try await juliet.run("keys", "link", "--qr").output.split(separator: "\n")
        let code = lines.dropLast()
        #expect(lines.last?.hasPrefix("xmpp:\(juliet.address)?omemo-sid-") == true)
        let width = try #require(code.first?.count)
        #expect(code.allSatisfy { $0.count == width } && code.count == (width + 1) / 2)
        #expect(code.first?.allSatisfy { $0 == "█" } == true)
        #expect(try await juliet.run("keys", "link", "--qr", "--json").objects.count == 1)
    }

    @Test("--encrypted sends nothing to a contact without devices, and leaves the conversation as it was")
    func refused() async throws {
        let (juliet, _) = try await Self.people()
        let nurse = try await Person("nurse", on: PrivateProsody.shared)
        let hers = try await nurse.listen("--count", "1")
        let refused = try await juliet.run("send", nurse.address, "secret", "--encrypted", expecting: 1)
        #expect(refused.errors.contains("no device of the receiver can decrypt it"), "\(refused.errors)")
        #expect(try await juliet.bare(["queue"]).output.contains("No message is waiting"))
        let clear = try await juliet.run("send", nurse.address, "in clear", "--json")
        #expect(Self.state(of: clear.objects.first) == nil)
        let heard = await hers.result().objects.compactMap { $0["body"] as? String }
        #expect(heard == ["in clear"])
        // With the policy `always` no option is needed, and `never` is not overruled by one.
        try await juliet.run("keys", "policy", nurse.address, "always")
        try await juliet.run("send", nurse.address, "secret", expecting: 1)
        try await juliet.run("keys", "policy", nurse.address, "never")
        try await juliet.run("send", nurse.address, "secret", "--encrypted", expecting: 1)
        try await juliet.run("keys", "policy", nurse.address, "default")
        let policy = try await juliet.run("keys", "policy", nurse.address, "--json").objects.first
        #expect(policy?["policy"] as? String == "when-possible" && policy?["own"] as? Bool == false)
    }

    @Test("beside a running program keys are listed and changed through it, without a password")
    func beside() async throws {
        let (juliet, romeo) = try await Self.people()
        let hers = try await Self.fingerprint(of: juliet)
        let his = try await romeo.listen()
        let listed = try await romeo.bare(["keys", juliet.address, "--json"])
        #expect(listed.status == 0 && listed.objects.first?["fingerprint"] as? String == hers, "\(listed.errors)")
        let verified = try await romeo.bare(["keys", "verify", juliet.address, hers, "--json"])
        #expect(verified.objects.first?["trust"] as? String == "verified", "\(verified.errors)")
        #expect(try await romeo.bare(["keys", "publish"]).status == 0)
        let other = try await romeo.bare(["keys", "--jid", juliet.address])
        #expect(other.status == 5 && other.errors.contains("not signed in"))
        let unknown = try await romeo.bare(["keys", "forget", juliet.address, "00000000"])
        #expect(unknown.status == 1 && unknown.errors.contains("No device with this key"))
        // The running program knows it, too.
        let sent = try await romeo.bare(["send", juliet.address, "verified now", "--encrypted", "--json"])
        #expect(Self.state(of: sent.objects.first) == "encrypted", "\(sent.errors)")
        his.signal(SIGTERM)
        #expect(await his.result().status == 0)
    }

    @Test("an old device of the account is listed, removed from the lists, and audit says what deserves attention")
    func ownDevices() async throws {
        let (juliet, romeo) = try await Self.people()
        // A second profile is a device of its own, if it has a keyring of its own.
        let elsewhere = try ProgramHome()
        let words = try juliet.connection()
        for words in [["login", "--encryption", "always"] + words, ["keys", "publish"] + words] {
            let result = try await Program("hongyan", words, home: elsewhere).result()
            #expect(result.status == 0, "\(result.errors)")
        }
        let devices = try await juliet.run("keys", "--json").objects
        #expect(devices.count == 2)
        let other = try #require(devices.first { $0["thisDevice"] == nil })
        #expect(other["label"] as? String == "Hongyan" && other["trust"] as? String == "trusted")
        let number = try #require(other["device"] as? Int)
        let this = try #require(devices.first?["device"] as? Int)
        try await juliet.run("keys", "remove", String(this), expecting: 1)
        let removed = try await juliet.run("keys", "remove", String(number), "--json")
        #expect(removed.objects.first?["event"] as? String == "removed")
        try await juliet.run("keys", "remove", String(number), expecting: 1)
        #expect(try await juliet.run("keys", "--json").objects.count == 1)
        #expect(try await juliet.run("keys", "audit").output.contains("Nothing deserves attention."))
        // After one key was verified, a further one waits for a decision.
        try await romeo.run("send", juliet.address, "first", "--encrypted")
        try await romeo.run("keys", "verify", try await Self.link(of: juliet))
        let again = try await Program("hongyan", ["keys", "publish"] + words, home: elsewhere).result()
        #expect(again.status == 0, "\(again.errors)")
        let audit = try await romeo.run("keys", "audit", "--json", expecting: 1)
        #expect(audit.objects.map { $0["problem"] as? String } == ["undecided"])
        #expect(audit.objects.first?["device"] as? Int == number)
        #expect(try await romeo.run("keys", "audit", expecting: 1).output.contains("You have not decided"))
    }

    @Test("audit names a node with keys that not everyone can read, and publish opens it")
    func closedNode() async throws {
        let (juliet, _) = try await Self.people()
        let running = try await juliet.listen()
        // It has published its keys then.
        try await juliet.run("keys", "audit")
        let node = "urn:xmpp:omemo:2:devices"
        var login = ClientConfiguration(address: try JID(juliet.address), password: juliet.account.password)
        (login.host, login.port) = (juliet.server.host, juliet.server.port)
        login.trust = .certificateAuthority(juliet.server.certificates.authorityFile)
        login.loginTimeout = .seconds(120)
        login.add { ServiceDiscovery($0) }
        login.add { PublishSubscribe($0) }
        try await Client(login).run { session in
            var configuration = NodeConfiguration()
            configuration.accessModel = .presence
            try await session[PublishSubscribe.self]?.configure(node, configuration)
        }
        let audit = try await juliet.run("keys", "audit", "--json", expecting: 1)
        #expect(audit.objects.map { $0["problem"] as? String } == ["node-closed"])
        #expect(audit.objects.first?["node"] as? String == node)
        #expect(audit.objects.first?["accessModel"] as? String == "presence")
        let shown = try await juliet.run("keys", "audit", expecting: 1).output
        #expect(shown.contains("“\(node)” (access model presence)") && shown.contains("`hongyan keys publish`"))
        try await juliet.run("keys", "publish")
        // The running program publishes in its turn.
        let words = try ["keys", "audit"] + juliet.connection()
        for _ in 1...60 where try await juliet.bare(words).status != 0 { try await Task.sleep(for: .milliseconds(500)) }
        #expect(try await juliet.bare(words).output.contains("Nothing deserves attention."))
        running.signal(SIGTERM)
        #expect(await running.result().status == 0)
    }

    @Test("two profiles with one keyring are two devices; both read, and a logout removes only the key of its profile")
    func profiles() async throws {
        let (juliet, romeo) = try await Self.people()
        let folder = juliet.home.path + "/other"
        try await juliet.run("keys", "publish", "--profile", folder)
        func keys(_ profile: String...) async throws -> [[String: Any]] {
            try await juliet.bare(["keys", "--json"] + profile + juliet.connection()).objects
        }
        let devices = try await keys()
        #expect(Set(devices.compactMap { $0["fingerprint"] as? String }).count == 2 && devices.count == 2)
        let own = devices.first { $0["thisDevice"] as? Bool == true }?["fingerprint"] as? String
        let others = try await keys("--profile", folder).first { $0["thisDevice"] as? Bool == true }
        #expect(others?["fingerprint"] as? String != own)

        let second = try await juliet.listen("--profile", folder)
        let first = try await juliet.listen()
        let sent = try await juliet.run("send", romeo.address, "from the first", "--encrypted", "--json")
        #expect(sent.objects.first?["unreadable"] == nil)
        try await romeo.run("send", juliet.address, "for both", "--encrypted")
        for program in [first, second] {
            try await program.waitForOutput("for both") { $0.contains("for both") }
            program.signal(SIGTERM)
            _ = await program.result()
        }
        for profile in [[], ["--profile", folder]] {
            let history = try await juliet.bare(
                ["history", romeo.address, "--jid", juliet.address, "--json"] + profile
            ).objects
            #expect(history.map { $0["body"] as? String } == ["from the first", "for both"])
            #expect(history.allSatisfy { Self.state(of: $0) == "encrypted" })
        }

        let secrets = juliet.home.path + "/data/hongyan/identity-keys"
        func names() throws -> Bool { try String(contentsOfFile: secrets, encoding: .utf8).contains(folder) }
        #expect(try names())
        #expect(try await juliet.bare(["logout", "--profile", folder]).status == 0)
        #expect(try !names())
        try await juliet.run("login", "--encryption", "when-possible")
        #expect(try await keys().first { $0["thisDevice"] as? Bool == true }?["fingerprint"] as? String == own)
        #expect(try await juliet.bare(["logout"]).status == 0)
        try await juliet.run("login", "--encryption", "when-possible")
        let new = try await keys().first { $0["thisDevice"] as? Bool == true }?["fingerprint"] as? String
        #expect(new != nil && new != own)
    }

    @Test("the queue says whether a waiting message will be encrypted")
    func waiting() async throws {
        let server = try await PrivateProsody()
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        let paris = try await Person("paris", on: server)
        for person in [juliet, romeo] {
            try await person.run("login", "--encryption", "when-possible")
            try await person.run("keys", "publish")
        }
        try await juliet.run("send", romeo.address, "first", "--encrypted")
        try await juliet.run("send", paris.address, "first")
        await server.kill()
        try await juliet.run("send", romeo.address, "sealed", "--queue")
        try await juliet.run("send", paris.address, "perhaps", "--queue")
        func states() async throws -> [String?] {
            try await juliet.bare(["queue", "--json"]).objects.map(Self.state)
        }
        #expect(try await states() == ["encrypted", "unknown"])
        let shown = try await juliet.bare(["queue"]).output
        #expect(shown.contains("🔒 → \(romeo.address)") && shown.contains("🔒? → \(paris.address)"))
        #expect(try await juliet.bare(["keys", "policy", "off"]).status == 0)
        #expect(try await states() == [nil, nil])
    }

    @Test("without a connection the keys that are stored are listed, and what needs a server says so")
    func offline() async throws {
        let server = try await PrivateProsody()
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        for person in [juliet, romeo] { try await person.run("login", "--encryption", "when-possible") }
        try await juliet.run("keys", "publish")
        try await romeo.run("send", juliet.address, "before", "--encrypted")
        await server.kill()
        let stored = try await romeo.run("keys", juliet.address, "--json")
        #expect(stored.objects.count == 1 && stored.errors.contains("Offline"))
        try await romeo.run("keys", "publish", expecting: 4)
        // What was encrypted before waits encrypted; elsewhere it is not known.
        let queued = try await romeo.run("send", juliet.address, "later", "--encrypted", "--queue", "--json")
        #expect(queued.objects.first?["event"] as? String == "queued")
        try await romeo.run("send", "nurse@\(server.domain)", "x", "--encrypted", "--queue", expecting: 4)
        try await server.start()
        let hers = try await juliet.listen("--count", "2")
        let his = try await romeo.listen()
        let heard = await hers.result().objects.filter { $0["event"] as? String == "message" }
        #expect(heard.compactMap { $0["body"] as? String } == ["before", "later"])
        #expect(heard.allSatisfy { Self.state(of: $0) == "encrypted" })
        his.signal(SIGTERM)
    }
}
