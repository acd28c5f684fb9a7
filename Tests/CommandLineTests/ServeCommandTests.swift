import Foundation
import Glibc
import JSONRPC
import ProgramFixtures
import SampleMedia
import ServerFixtures
import Synchronization
import Testing
import UserProfile
import XMPPAddress

@testable import CommandLine

/// `hongyan serve` as programs use it: real processes, a real server.
@Suite("hongyan serve")
struct ServeCommandTests {
    private func answers(_ output: String) -> [JSONValue] {
        output.split(separator: "\n").compactMap { try? JSONValue(parsing: $0.utf8) }
    }

    @Test("requests on standard input are answered; bad and huge lines get an error object, and nothing is lost")
    func standardInput() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let his = try await romeo.listen("--count", "2")
        let lines = [
            #"{"jsonrpc":"2.0","id":1,"method":"accounts.list"}"#, "nonsense",
            #"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#,
            String(repeating: "x", count: 3 << 20), #"[{"jsonrpc":"2.0","id":9,"method":"accounts.list"}]"#,
            String(repeating: "[", count: 100_000), "\u{0}", "",
            #"{"jsonrpc":"2.0","id":"send","method":"message.send","params":{"to":"\#(romeo.address)","text":"good morrow 早上好"}}"#,
            #"{"jsonrpc":"2.0","method":"message.send","params":{"to":"\#(romeo.address)","text":"no answer, please","queue":true}}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"history.read","params":{"with":5}}"#,
            #"{"jsonrpc":"2.0","id":3,"method":"dance"}"#,
            #"{"jsonrpc":"2.0","id":4,"method":"conversations.list"}"#, #"{"jsonrpc":"2.0","id":5,"#,
        ]
        let result = try await juliet.bare(["serve"] + juliet.connection(), input: lines.joined(separator: "\n"))
        #expect(result.status == 0, "\(result.errors)")
        let all = answers(result.output)
        func answer(_ id: JSONValue) -> JSONValue? { all.first { $0["id"] == id } }
        #expect(answer(1)?["result"]?["accounts"]?.array?.first?["address"] == .string(juliet.address))
        let stage = answer("send")?["result"]?["stage"]
        #expect(stage == "acknowledged" || stage == "delivered")
        #expect(answer(2)?["error"]?["code"] == -32602 && answer(3)?["error"]?["code"] == -32601)
        #expect(answer(4)?["result"]?["conversations"] != nil)
        let refused = all.filter { $0["method"] == nil && $0["id"] == nil }.compactMap { $0["error"]?["code"]?.integer }
        #expect(refused.filter { $0 == -32700 }.count == 4 && refused.filter { $0 == -32600 }.count == 3, "\(refused)")
        #expect(
            await his.result().objects.compactMap { $0["body"] as? String }.sorted() == [
                "good morrow 早上好", "no answer, please",
            ])
    }

    @Test("serve on standard input uses the program that has the profile open")
    func relay() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let hers = try await juliet.listen()
        let result = try await juliet.bare(
            ["serve"], input: #"{"jsonrpc":"2.0","id":1,"method":"accounts.list"}"# + "\nnonsense\n")
        #expect(result.status == 0, "\(result.errors)")
        let all = answers(result.output)
        #expect(all.first { $0["id"] == 1 }?["result"]?["accounts"]?.array?.first?["state"] == "online")
        #expect(all.contains { $0["error"]?["code"] == -32700 })
        let second = try await juliet.bare(["serve", "--socket"] + juliet.connection())
        #expect(second.status == 5, "\(second.errors)")
        hers.signal(SIGTERM)
        #expect(await hers.result().status == 0)
    }

    @Test("history, search, rooms, contacts, files and the queue through the socket")
    func methods() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        let hers = try await juliet.service()
        let his = try await romeo.service(["--accept", "none"])
        // Contacts: a request, its acceptance, the list.
        #expect(
            try await juliet.call("contacts.add", ["address": .string(romeo.address), "name": "Romeo"])["requested"]
                == true)
        var requests: [JSONValue] = []
        while requests.isEmpty { requests = try await romeo.call("contacts.list")["requests"]?.array ?? [] }
        #expect(requests.map { $0["address"] } == [.string(juliet.address)])
        _ = try await romeo.call("contacts.accept", ["address": .string(juliet.address)])
        var contact: JSONValue?
        while contact?["state"] != "online" {
            contact = try await juliet.call("contacts.list")["contacts"]?.array?.first
        }
        #expect(contact?["name"] == "Romeo")
        // A file, its download on the other side, and a reaction.
        let start = try await romeo.call("events.read", ["reader": "test"])["cursor"] ?? .null
        let picture = try juliet.home.write("plan 计划.txt", "the plan")
        let sent = try await juliet.call(
            "message.send", ["to": .string(romeo.address), "file": .string(picture), "wait": "delivered"])
        #expect(sent["stage"] == "delivered")
        let page = try await romeo.call("events.read", ["reader": "test", "after": start, "wait": 30])
        let message = try #require(
            page["events"]?.array?.first { $0["event"]?["type"] == "message" }?["event"]?["message"])
        let fetched = try await romeo.call("media.fetch", ["message": message["id"] ?? .null])
        #expect(fetched["path"]?.string.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } == "the plan")
        // A picture and a voice message are prepared, and arrive as such.
        for (kind, name, content) in [
            ("picture", "garden.png", SampleMedia.smallPicture), ("voice", "hello.wav", SampleMedia.sound),
        ] {
            let start = try await juliet.call("events.read", ["reader": .string(kind)])["cursor"] ?? .null
            let file = try romeo.home.write(name, content)
            let sent = try await romeo.call(
                "message.send",
                ["to": .string(juliet.address), kind: .string(file), "wait": "delivered"])
            #expect(sent["stage"] == "delivered", "\(sent)")
            let page = try await juliet.call("events.read", ["reader": .string(kind), "after": start, "wait": 30])
            let received = try #require(
                page["events"]?.array?.first { $0["event"]?["type"] == "message" }?["event"]?["message"])
            let attachment = try #require(received["files"]?.array?.first, "\(received)")
            #expect(attachment["kind"] == .string(kind), "\(attachment)")
            let fetched = try await juliet.call("media.fetch", ["message": received["id"] ?? .null])
            let path = try #require(fetched["path"]?.string)
            #expect(try !Data(contentsOf: URL(filePath: path)).isEmpty)
        }
        _ = try await romeo.call(
            "message.send", ["to": .string(juliet.address), "react": message["id"] ?? .null, "emojis": ["👍"]])
        _ = try await romeo.call(
            "message.send", ["to": .string(juliet.address), "text": "鸿雁传书", "reply": message["id"] ?? .null])
        var found: [JSONValue] = []
        while found.isEmpty {
            found = try await juliet.call("history.search", ["words": "雁"])["messages"]?.array ?? []
        }
        let history = try await juliet.call("history.read", ["with": .string(romeo.address)])["messages"]?.array ?? []
        #expect(history.count == 4 && history.first?["reactions"]?.array?.first?["emoji"] == "👍")
        // A correction and a retraction arrive, too.
        let own = try #require(found.first?["id"])
        #expect(own != message["id"])
        let answered = try await juliet.call("message.send", ["to": .string(romeo.address), "text": "first"])
        _ = try await juliet.call(
            "message.send",
            ["to": .string(romeo.address), "text": "second", "correct": answered["message"] ?? .null])
        _ = try await juliet.call(
            "message.send", ["to": .string(romeo.address), "retract": answered["message"] ?? .null])
        var last: JSONValue?
        while last?["retracted"] != true {
            last = try await romeo.call("history.read", ["with": .string(juliet.address)])["messages"]?.array?.last
        }
        // Rooms.
        let room = "plans-\(UUID().uuidString.lowercased())@\(server.conferenceDomain)"
        _ = try await juliet.call("rooms.join", ["address": .string(room), "nickname": "Juliet"])
        #expect(try await juliet.call("rooms.list")["rooms"]?.array?.first?["inside"] == true)
        #expect(
            try await juliet.call("message.send", ["to": .string(room), "text": "anybody here?"])["stage"]
                == "acknowledged")
        _ = try await juliet.call("rooms.leave", ["address": .string(room)])
        let left = try await juliet.call("rooms.list")["rooms"]?.array?.first
        #expect(left?["inside"] == false && left?["joinsAutomatically"] == false)
        // The other commands work beside it.
        #expect(try await juliet.bare(["send", romeo.address, "from a command", "--jid", juliet.address]).status == 0)
        _ = try await juliet.call("contacts.remove", ["address": .string(romeo.address)])
        for program in [hers, his] {
            program.signal(SIGINT)
            #expect(await program.result().status == 0, "\(program.errors)")
        }
    }

    @Test("after SIGTERM the next process resumes the session, and has what arrived in between")
    func resumption() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let first = try await juliet.service()
        first.signal(SIGTERM)
        #expect(await first.result().status == 0, "\(first.errors)")
        try await romeo.run("send", juliet.address, "in between")
        let second = try await juliet.service()
        #expect(try await juliet.served(by: second) { $0["state"] == "online" }["resumed"] == true)
        var history: [JSONValue] = []
        while history.isEmpty {
            history = try await juliet.call("history.read", ["with": .string(romeo.address)])["messages"]?.array ?? []
        }
        #expect(history.map { $0["body"] } == ["in between"])
        // A person who interrupts it wants to be offline.
        second.signal(SIGINT)
        #expect(await second.result().status == 0)
        let third = try await juliet.service()
        #expect(try await juliet.served(by: third) { $0["state"] == "online" }["resumed"] == false)
        third.signal(SIGINT)
        _ = await third.result()
    }

    @Test(
        "what was missed has its events in the order in which it was sent, over several pages of the archive",
        arguments: [ServerKind.prosody13, .ejabberd2412])
    func longOutage(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let juliet = try await Person("juliet", onAny: server)
        let sender = EventSender(
            number: 0, account: try await server.newAccount("romeo"), server: server, receiver: try JID(juliet.address))
        let flow = EventFlow(limit: 1_000)
        var service = try await juliet.service()
        // The archive is read while it is empty; the only message of this session is not read from it.
        #expect(try await juliet.served(by: service) { $0["caughtUp"] == true }["state"] == "online")
        _ = try await juliet.call("events.read", ["reader": "bot"])
        _ = try await juliet.call("contacts.add", ["address": .string(sender.account.address)])
        try await sender.send(0..<1, flow)
        #expect(try await Self.bodies(of: juliet, count: 1) == ["0 0"])
        service.signal(SIGINT)
        #expect(await service.result().status == 0)
        // Three pages.
        try await sender.send(1..<131, flow)
        service = try await juliet.service()
        let got = try await Self.bodies(of: juliet, count: 131)
        #expect(got == (0..<131).map { "0 \($0)" }, "\(got.joined(separator: " "))")
        service.signal(SIGINT)
        #expect(await service.result().status == 0, "\(service.errors)")
    }

    /// The texts of the messages of all events so far, once there are so many.
    private static func bodies(of person: Person, count: Int) async throws -> [String] {
        let end = ContinuousClock.now + .seconds(120)
        var (bodies, cursor): ([String], JSONValue?) = ([], nil)
        while bodies.count < count, .now < end {
            var parameters: [(String, JSONValue)] = [("reader", "bot"), ("wait", 5)]
            if let cursor { parameters.append(("after", cursor)) }
            let page = try await person.call("events.read", JSONValue(parameters))
            cursor = page["cursor"]
            for entry in page["events"]?.array ?? [] where entry["event"]?["type"] == "message" {
                bodies.append(entry["event"]?["message"]?["body"]?.string ?? "")
            }
        }
        return bodies
    }

    @Test("the example in shell answers each message once, although it is killed")
    func shellExample() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let path = Program.folder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        // It ends when the serve of a killed predecessor ends, which it uses for a moment; like a service it is then started again.
        let always = #"until setpriv --pdeathsig KILL "$@"; do sleep 0.2; done"#
        func echo() throws -> Program {
            try Program(
                "/bin/sh",
                [
                    "-c", always, "sh", "bash", Program.example("Automation/echo.sh"), juliet.home.path + "/state",
                ] + juliet.connection(), home: juliet.home, environment: ["PATH": path])
        }
        let his = try await romeo.listen()
        var answering = try echo()
        // The reader exists as soon as the script has asked for the first time.
        var readers: [JSONValue] = []
        while readers.isEmpty {
            try await Task.sleep(for: .milliseconds(50))
            guard let client = ProfileClient.connect(to: juliet.profile) else { continue }
            readers = (try? await client.call("events.readers", .null))?["readers"]?.array ?? []
            client.close()
        }
        for text in ["one", "two 二", "\"three\" \\ $(3)"] {
            try await romeo.run("send", juliet.address, text)
            try await his.waitForOutput(text) { $0.contains("\"body\":" + JSONValue.string(text).description) }
            answering.signal(SIGKILL)
            _ = await answering.result()
            answering = try echo()
        }
        try await romeo.run("send", juliet.address, "last")
        try await his.waitForOutput("last") { $0.contains("\"body\":\"last\"") }
        let heard = Program.objects(his.output).compactMap { $0["body"] as? String }
        #expect(heard == ["one", "two 二", "\"three\" \\ $(3)", "last"])
        answering.signal(SIGKILL)
        his.signal(SIGTERM)
    }

    @Test("a model sends where it is allowed, and nowhere else")
    func model() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let his = try await romeo.listen("--count", "1")
        let begin =
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#
            + "\n" + #"{"jsonrpc":"2.0","method":"notifications/initialized"}"# + "\n"
        // Requests run side by side, so a session that depends on initialize is begun by hand.
        let first = try await juliet.bare(
            ["serve", "--mcp", "--allow", romeo.address] + juliet.connection(), input: begin)
        #expect(first.status == 0, "\(first.errors)")
        #expect(answers(first.output).first?["result"]?["protocolVersion"] == "2025-06-18")
        let script = """
            import json, subprocess, sys
            server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            number = 0
            def ask(method, params):
                global number
                number += 1
                server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\\n")
                server.stdin.flush()
                while True:
                    answer = json.loads(server.stdout.readline())
                    if answer.get("id") == number: return answer
            ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test"}})
            print(json.dumps(ask("tools/list", {})))
            for to in [sys.argv[1], "nurse@example.org"]:
                print(json.dumps(ask("tools/call", {"name": "message_send", "arguments": {"to": to, "text": "from a model"}})))
            server.stdin.close()
            sys.exit(server.wait())
            """
        let file = try juliet.home.write("model.py", script)
        let program = try Program(
            "/usr/bin/env",
            ["python3", file, romeo.address, Program.folder + "/hongyan", "serve", "--mcp", "--allow", romeo.address]
                + juliet.connection(), home: juliet.home)
        let result = await program.result()
        #expect(result.status == 0, "\(result.errors)")
        let all = answers(result.output)
        #expect(all.first?["result"]?["tools"]?.array?.contains { $0["name"] == "message_send" } == true)
        #expect(all.dropFirst().map { $0["result"]?["isError"] } == [false, true])
        #expect(await his.result().objects.compactMap { $0["body"] as? String } == ["from a model"])
        let log = try String(contentsOfFile: juliet.profile.folder + "/automation.log", encoding: .utf8)
        #expect(log.contains("message.send → \(romeo.address)  done") && log.contains("nurse@example.org  refused"))
        #expect(!log.contains("from a model"))
    }

    @Test("options that make no sense are refused")
    func usage() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        for words in [
            ["--allow", "a@b"], ["--mcp", "--allow", "nobody"], ["--mcp", "--socket"], ["--mcp", "--rate", "0"],
            ["--mcp", "--files", "/nowhere"], ["--trust", "ask"], ["--password-file", "-"], ["extra"],
        ] {
            let result = try await juliet.bare(["serve"] + words)
            #expect(result.status == 2, "\(words): \(result.errors)")
        }
    }

    // MARK: As a service of the system

    /// A socket on which a service manager would listen.
    private final class Manager: Sendable {
        let path: String
        private let descriptor: Int32
        private let received = Mutex<[String]>([])

        init(_ home: ProgramHome) throws {
            path = home.path + "/notify"
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(status == 0)
            let opened = descriptor
            Thread.detachNewThread { [weak self] in
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = recv(opened, &buffer, buffer.count, 0)
                    guard count > 0, let self else { return }
                    let text = String(decoding: buffer.prefix(count), as: UTF8.self)
                    self.received.withLock { $0 += text.split(separator: "\n").map(String.init) }
                }
            }
        }

        deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

        var messages: [String] { received.withLock(\.self) }

        func waitFor(_ message: String, count: Int = 1) async throws {
            while messages.filter({ $0 == message }).count < count { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    @Test("the service manager is told of readiness, life and the end, and has the password")
    func serviceManager() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let manager = try Manager(juliet.home)
        let credentials = juliet.home.path + "/credentials"
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        try Data((juliet.account.password + "\n").utf8).write(
            to: URL(fileURLWithPath: credentials + "/hongyan.password"))
        for command in [["serve", "--socket"], ["listen", "--json"]] {
            let program = try Program(
                "hongyan", command + ["--jid", juliet.address] + juliet.place, home: juliet.home,
                environment: [
                    "NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "100000", "CREDENTIALS_DIRECTORY": credentials,
                ])
            let before = manager.messages.count
            while !manager.messages.dropFirst(before).contains("READY=1") {
                try await Task.sleep(for: .milliseconds(10))
            }
            if command[0] == "serve" {
                _ = try await juliet.served(by: program) { $0["state"] == "online" }
            } else {
                try await program.waitForOutput("online") { $0.contains("\"state\":\"online\"") }
            }
            let alive = manager.messages.filter { $0 == "WATCHDOG=1" }.count
            try await manager.waitFor("WATCHDOG=1", count: alive + 3)
            #expect(!manager.messages.dropFirst(before).contains("STOPPING=1"))
            program.signal(SIGTERM)
            #expect(await program.result().status == 0, "\(program.errors)")
            // The program has sent it before its end; the thread that reads it may not have run since.
            func isStopping() -> Bool { manager.messages.dropFirst(before).contains("STOPPING=1") }
            for _ in 0..<1000 where !isStopping() { try await Task.sleep(for: .milliseconds(10)) }
            #expect(isStopping())
        }
    }

    @Test("lines in the journal have a level, and only there")
    func journal() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let command = #"JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2) exec "$@""#
        let words = [Program.folder + "/hongyan", "serve", "--port", "0"]
        let inJournal = try Program("/bin/sh", ["-c", command, "sh"] + words, home: juliet.home)
        let result = await inJournal.result()
        #expect(result.errors.hasPrefix("<3>hongyan: "), "\(result.errors)")
        let elsewhere = try Program("/usr/bin/env", ["JOURNAL_STREAM=1:1"] + words, home: juliet.home)
        #expect(await elsewhere.result().errors.hasPrefix("hongyan: "))
    }
}
