import ChatStore
import Foundation
import Glibc
import Media
import ProgramFixtures
import SampleMedia
import ServerFixtures
import ServiceDiscovery
import Testing
import XMPPAddress
import XMPPClient

@testable import CommandLine

@Suite struct ConversationCommandTests {
    @Test(
        "S0-80, S1-38, S2-21, S2-23…S2-25, S2-28, S2-33, S2-2, S2-36…S2-38: contacts are added by name, accepted, listed and removed"
    )
    func friends() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        let added = try await juliet.run(
            "add", romeo.account.username, "--name", "My Romeo", "--group", "Verona", "--json")
        #expect(added.objects.first?["event"] as? String == "requested")
        #expect(try await juliet.run("roster").output.contains("My Romeo <\(romeo.address)> | none (asked) | offline"))

        let asked = try await romeo.run("roster", "--json")
        #expect(asked.objects.last?["address"] as? String == juliet.address)
        try await romeo.run("accept", juliet.account.username)
        try await juliet.run("accept", romeo.address)
        let contact = try #require(try await juliet.run("roster", "--json").objects.first)
        #expect(contact["subscription"] as? String == "both")
        #expect(contact["name"] as? String == "My Romeo")
        #expect(contact["groups"] as? [String] == ["Verona"])

        let again = try await juliet.run("add", romeo.address)
        #expect(again.output == "\(romeo.address) is already a contact; nothing was sent.\n")

        try await juliet.run("remove", romeo.address, expecting: 2)
        try await juliet.run("remove", romeo.address, "--yes")
        #expect(try await juliet.run("roster", "--json").output.isEmpty)
        try await juliet.run("remove", romeo.address, "--yes", expecting: 1)
    }

    @Test("S0-82: a contact that removes the user is reported, and is not a contact any more")
    func unsubscribed() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let listener = try await juliet.listen()
        // Messages come after the presence, and that after the list of contacts: a removal before that would be no news.
        try await romeo.run("send", juliet.address, "Farewell")
        try await listener.waitForOutput("the message") { $0.contains("Farewell") }
        try await romeo.run("remove", juliet.address, "--yes")
        try await listener.waitForOutput("the news") {
            $0.contains("\"event\":\"unsubscribed\"") && $0.contains("\"subscription\":\"none\"")
        }
        listener.signal(SIGTERM)
        #expect(try await juliet.run("roster", "--json").output.isEmpty)
    }

    @Test("S2-22: an empty address is refused")
    func emptyAddress() async throws {
        let person = try await Person("empty", on: .shared)
        try await person.run("add", " ", expecting: 2)
    }

    @Test("S0-81, S2-27: a request is answered once, with yes or no, and can be accepted without adding the contact")
    func requests() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await romeo.run("accept", juliet.address, expecting: 1)
        try await juliet.run("add", romeo.address)
        try await romeo.run("accept", juliet.address, "--no-add-back")
        #expect(try await juliet.run("roster", "--json").objects.first?["subscription"] as? String == "to")

        let paris = try await Person("paris", on: server)
        try await paris.run("add", juliet.address)
        try await juliet.run("reject", paris.address)
        #expect(try await paris.run("roster", "--json", "--all").objects.first?["subscription"] as? String == "none")
        #expect(try await paris.run("roster", "--json").output.isEmpty, "S0-88: hidden when nothing is agreed")
    }

    @Test(
        "on ejabberd a request is seen, accepted and declined, too, and messages that wait for a real session stay there (XEP-0013 §2.2)",
        arguments: [ServerKind.ejabberd2301, .ejabberd2412])
    func requestsOnEjabberd(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let juliet = try await Person("juliet", onAny: server)
        let romeo = try await Person("romeo", onAny: server)
        try await juliet.run("add", romeo.address)
        try await juliet.run("send", romeo.address, "Wherefore art thou?")
        let asked = try await romeo.run("roster", "--json")
        #expect(asked.objects.last?["address"] as? String == juliet.address)
        try await romeo.run("accept", juliet.address, "--no-add-back")
        #expect(try await juliet.run("roster", "--json").objects.first?["subscription"] as? String == "to")
        #expect(try await Self.storedMessageCount(of: romeo.account, on: server) == "1")

        let paris = try await Person("paris", onAny: server)
        try await paris.run("add", juliet.address)
        try await juliet.run("reject", paris.address)
        #expect(try await juliet.run("roster", "--json").objects.allSatisfy { $0["event"] as? String != "request" })
        #expect(try await paris.run("roster", "--json", "--all").objects.first?["subscription"] as? String == "none")
    }

    /// How many messages the server keeps for a real session of the account.
    private static func storedMessageCount(
        of account: ServerFixtures.Account, on server: any PrivateServer
    ) async throws -> String? {
        var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
        configuration.host = server.host
        configuration.port = server.port
        configuration.trust = .certificateAuthority(server.certificates.authorityFile)
        configuration.loginTimeout = .seconds(120)
        configuration.add { ServiceDiscovery($0) }
        return try await Client(configuration).run { session in
            let own = try #require(await session.address?.bare)
            let stored = try await session[ServiceDiscovery.self]?
                .information(of: own, node: "http://jabber.org/protocol/offline")
            return stored?.forms.first?["number_of_messages"]?.values.first
        }
    }

    @Test(
        "S2-30: requests of contacts that the user added are accepted without a question, unless configured otherwise")
    func acceptance() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.run("add", romeo.address)
        let listener = try await juliet.listen()
        try await romeo.run("accept", juliet.address)
        try await listener.waitForOutput("both see each other") { $0.contains("\"subscription\":\"both\"") }
        listener.signal(SIGTERM)

        let paris = try await Person("paris", on: server)
        try await juliet.run("add", paris.address)
        let careful = try await juliet.listen("--accept", "none")
        try await paris.run("accept", juliet.address)
        try await careful.waitForOutput("the question") {
            $0.contains("\"event\":\"request\",\"address\":\"\(paris.address)\"")
        }
        careful.signal(SIGTERM)
        try await juliet.run("listen", "--accept", "perhaps", expecting: 2)
    }

    @Test(
        "S0-13, S0-14, S0-79, S0-90, S1-33, S2-16, S2-17: messages and states arrive; a contact that disconnects is offline"
    )
    func messages() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let listener = try await juliet.listen("--count", "2")
        let away = try await romeo.listen("--show", "xa", "--status", "我现在很忙")
        try await listener.waitForOutput("the friend's state") {
            $0.contains("\"state\":\"away\",\"status\":\"我现在很忙\"")
        }
        away.signal(SIGTERM)
        #expect(await away.result().status == 0)
        try await listener.waitForOutput("the friend's leaving") {
            $0.split(separator: "\n").last?.contains("\"state\":\"offline\"") == true
        }
        try await romeo.run("send", juliet.address, "good", "morrow", "--delivered")
        let sent = try await romeo.run("send", juliet.address, "早上好 <&> 🎉", "--json")
        #expect(sent.objects.first?["event"] as? String == "sent")
        let result = await listener.result()
        #expect(result.status == 0)
        let bodies = result.objects.compactMap { $0["body"] as? String }
        #expect(bodies == ["good morrow", "早上好 <&> 🎉"])
    }

    @Test("what listen says about a message is enough to reply to it, react to it, and to know its changes")
    func acts() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let (hers, his) = (try await juliet.listen(), try await romeo.listen())
        try await romeo.run("send", juliet.address, "good nihgt")
        try await hers.waitForOutput("the message") { $0.contains("good nihgt") }
        try await romeo.run("send", juliet.address, "unkind")
        try await hers.waitForOutput("the second message") { $0.contains("unkind") }
        func sent(_ body: String) async throws -> String {
            let history = try await romeo.bare(["history", juliet.address, "--jid", romeo.address, "--json"])
            let message = history.objects.first { $0["body"] as? String == body }
            return String(try #require(message?["id"] as? Int))
        }
        let (first, second) = (try await sent("good nihgt"), try await sent("unkind"))
        func number(_ body: String) async throws -> String {
            let history = try await juliet.bare(["history", romeo.address, "--jid", juliet.address, "--json"])
            let message = history.objects.first { $0["body"] as? String == body }
            return String(try #require(message?["id"] as? Int))
        }
        let (known, other) = (try await number("good nihgt"), try await number("unkind"))
        try await hers.waitForOutput("the numbers") {
            $0.contains("\"message\":\(known),") && $0.contains("\"message\":\(other),")
        }
        try await juliet.run("send", romeo.address, "a thousand times", "--reply-to", known)
        try await his.waitForOutput("the reply") { $0.contains("\"reply\":\(first),") }
        try await juliet.run("send", romeo.address, "👍", "🌹", "--react", known)
        try await his.waitForOutput("the reactions") {
            $0.contains("\"event\":\"reactions\"") && $0.contains("\"target\":\(first),")
                && $0.contains("\"emojis\":[\"🌹\",\"👍\"]")
        }
        try await romeo.run("send", juliet.address, "good night", "--correct", first)
        try await hers.waitForOutput("the correction") {
            $0.contains("\"event\":\"correction\"") && $0.contains("\"body\":\"good night\",\"target\":\(known),")
        }
        try await romeo.run("send", juliet.address, "--retract", second)
        try await hers.waitForOutput("the retraction") {
            $0.contains("\"event\":\"retraction\"") && $0.contains("\"target\":\(other),")
        }
        try await juliet.run("send", romeo.address, "mine", "--correct", known, expecting: 1)
        hers.signal(SIGTERM)
        his.signal(SIGTERM)
    }

    @Test("S1-35: a returned message is a failure with a message")
    func bounced() async throws {
        let person = try await Person("bounced", on: .shared)
        let result = try await person.run("send", "nobody-there", "hello", expecting: 1)
        #expect(result.errors.contains("was not delivered"))
    }

    @Test(
        "S0-93, S0-94, S0-96, S0-97, S0-98, S0-99, S0-101…S0-104: pictures and voice arrive byte for byte, uploaded or inside the message",
        arguments: [[], ["--inline"]])
    func files(_ form: [String]) async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let listener = try await juliet.listen("--count", "2")
        let picture = try romeo.home.write("picture.png", SampleMedia.smallPicture)
        let voice = try romeo.home.write("voice.wav", SampleMedia.sound)
        var sent: [[String: Any]] = []
        for words in [["--picture", picture], ["--voice", voice]] {
            let result = try await romeo.bare(["send", juliet.address, "--json"] + words + form + romeo.connection())
            #expect(result.status == 0, "\(result.errors)")
            sent += result.objects
        }
        let received = await listener.result().objects.filter { $0["sha256"] != nil }
        #expect(received.count == 2 && sent.count == 2)
        for (mine, theirs) in zip(sent, received) {
            for key in ["sha256", "type"] { #expect(mine[key] as? String == theirs[key] as? String) }
            for key in ["bytes", "width", "milliseconds"] { #expect(mine[key] as? Int == theirs[key] as? Int) }
            let path = try #require(theirs["path"] as? String)
            #expect(path.hasPrefix(juliet.home.path + "/data/hongyan/files/\(juliet.address)/"))
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(ContentHash(of: bytes).description == theirs["sha256"] as? String)
            // The saved copy equals the sent file.
            let own = Array(try Data(contentsOf: URL(fileURLWithPath: try #require(mine["path"] as? String))))
            #expect(own == bytes)
        }
        #expect(received.first?["width"] as? Int == 64)
    }

    @Test("a file that is not a picture is not sent, and a missing microphone is reported")
    func unusable() async throws {
        let person = try await Person("unusable", on: .shared)
        let text = try person.home.write("text.png", "no picture at all")
        #expect(try await person.run("send", "x", "--picture", text, expecting: 1).errors.contains("cannot be opened"))
        #expect(try await person.run("send", "x", "--picture", "/nowhere", expecting: 1).errors.contains("/nowhere"))
        #expect(try await person.run("send", "x", "--record", "1", expecting: 1).errors.contains(/[Ss]ound|microphone/))
        try await person.run("send", "x", "--record", "soon", expecting: 2)
        try await person.run("send", "x", "text", "--picture", text, expecting: 2)
    }

    @Test("S0-95: a picture inside of the message is a PNG named by the time and the user name of the receiver")
    func inlinePicture() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let listener = try await juliet.listen("--count", "1")
        let file = romeo.home.path + "/garden.bmp"
        let (made, output) = try await OutsideProgram.run(["convert", "-size", "64x48", "plasma:red-blue", file])
        try #require(made == 0, "\(output)")
        let sent = try await romeo.run("send", juliet.address, "--picture", file, "--inline", "--json")
        #expect(sent.objects.first?["type"] as? String == "image/png")
        let received = try #require(await listener.result().objects.first { $0["sha256"] != nil })
        let path = try #require(received["path"] as? String)
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        let name = (path as NSString).lastPathComponent
        let parts = try #require(name.wholeMatch(of: /(\d{8})-(\d{6})(.+)\.png/))
        #expect(parts.output.3 == juliet.account.username)
        // The date is that of the sender, in its time zone.
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        #expect(abs((Int(parts.output.1.prefix(4)) ?? 0) - year) <= 1)
        #expect(ContentHash(of: bytes).description == sent.objects.first?["sha256"] as? String)
    }

    @Test("S0-100: what the microphone hears is recorded by `send --record` and by /voice, and arrives")
    func recording() async throws {
        let desktop = try PrivateDesktop(width: 320, height: 200)
        let sound = ["PULSE_SERVER", "PULSE_SOURCE", "PULSE_SINK"].reduce(into: [:]) {
            $0[$1] = desktop.environment[$1]
        }
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let listener = try await juliet.listen("--count", "2")
        // Somebody hums all the time.
        let (made, output) = try await OutsideProgram.run([
            "sox", "-n", "-r", "48000", "-c", "1", romeo.home.path + "/hum.wav", "synth", "60", "sine", "440",
        ])
        try #require(made == 0, "\(output)")
        let hum = try Program(
            "/usr/bin/paplay", ["--device=\(PrivateDesktop.microphone)", romeo.home.path + "/hum.wav"],
            home: romeo.home,
            environment: sound)
        let sent = try await romeo.bare(
            ["send", juliet.address, "--record", "2", "--json"] + romeo.connection(), environment: sound)
        #expect(sent.status == 0, "\(sent.errors)")
        let chat = try Program(
            "hongyan", ["chat", juliet.address] + romeo.connection(), home: romeo.home, environment: sound,
            size: (80, 24))
        try await chat.waitForScreen("· online ──")
        chat.type("/voice\r")
        try await chat.waitForScreen("Speak now.")
        // Until two seconds are shown.
        try await chat.waitForScreen("Recording 0:02")
        chat.type("\r")
        let received = await listener.result().objects.filter { $0["sha256"] != nil }
        #expect(received.count == 2)
        for voice in received {
            let (path, length) = (voice["path"] as? String ?? "", voice["milliseconds"] as? Int ?? 0)
            #expect(length >= 1500, "\(voice)")
            // It is the hum, and not silence.
            let (status, peak) = try await OutsideProgram.run([
                "sh", "-c",
                "gst-launch-1.0 -q filesrc location='\(path)' ! decodebin ! audioconvert ! wavenc ! filesink location='\(path).wav'"
                    + " && sox '\(path).wav' -n stat 2>&1 | grep -E 'Maximum amplitude|Rough'",
            ])
            let numbers = peak.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            #expect(status == 0 && numbers.count == 2 && numbers[0] > 0.1, "\(peak)")
            #expect(abs((numbers.last ?? 0) - 440) < 60, "\(peak)")
        }
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
        hum.signal(SIGTERM)
    }
}
