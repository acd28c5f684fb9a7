import Glibc
import ProgramFixtures
import ServerFixtures
import TerminalApp
import Testing
import XMPPAddress
import XMPPClient

@testable import CommandLine

@Suite struct ConnectionCommandTests {
    @Test("without --watch, the command signs in, prints the negotiated features and signs out")
    func once() async throws {
        let person = try await Person("once", on: .shared)
        let text = try await person.run("connection").output
        #expect(text.hasPrefix("online: a new session, \(person.address)/"))
        #expect(text.contains("login: SCRAM-SHA-1, in "))
        #expect(text.contains("after a lost connection the session is resumed"))
        let object = try #require(try await person.run("connection", "--json").objects.first)
        #expect(object["event"] as? String == "connection")
        #expect(object["state"] as? String == "online")
        #expect(object["resumed"] as? Bool == false)
        #expect(object["mechanism"] as? String == "SCRAM-SHA-1")
        #expect(object["resumable"] as? Bool == true)
        #expect((object["address"] as? String)?.hasPrefix(person.address + "/") == true)
    }

    @Test(
        "with --watch, every change is one line, a resumed session differs from a new one, and Ctrl-C is not a failure")
    func watch() async throws {
        let server = try await PrivateProsody.shared
        let person = try await Person("watch", on: server)
        let program = try person.start("connection", "--watch", "--json")
        try await program.waitForOutput("online") { $0.contains("\"state\":\"online\"") }
        try await server.cutConnections(of: person.account.username)
        try await program.waitForOutput("online again") { $0.contains("\"resumed\":true") }
        program.signal(SIGINT)
        let result = await program.result()
        #expect(result.status == 0, "\(result.errors)")
        let states = result.objects.filter { $0["event"] as? String == "connection" }
        let kinds = states.compactMap { $0["state"] as? String }
        #expect(kinds.first == "connecting")
        let online = states.filter { $0["state"] as? String == "online" }
        #expect(online.map { $0["resumed"] as? Bool } == [false, true])
        let lost = try #require(
            states.first { $0["state"] as? String == "offline" && $0["reason"] != nil })
        #expect(lost["retry"] as? Int != nil)
        #expect(states.allSatisfy { $0["time"] is String })
        let traffic = result.objects.filter { $0["event"] as? String == "traffic" }
        #expect(traffic.count == 2, "one when the connection was lost, one at the end")
        #expect(traffic.allSatisfy { $0["wakeUps"] is Int && $0["bytesReceived"] is Int && $0["keepAlives"] is Int })
    }

    @Test("in a terminal, one line is updated in place, and Ctrl-C ends the command")
    func terminal() async throws {
        let person = try await Person("line", on: .shared)
        let program = try Program(
            "hongyan", ["connection", "--watch"] + person.connection(), home: person.home, size: (60, 10))
        try await program.waitForOutput("online") { $0.contains("online: a new session") }
        program.signal(SIGINT)
        #expect(await program.result().status == 0)
        let lines = program.screenText.split(separator: "\r")
        #expect(lines.contains { $0.hasPrefix("connecting: ") })
        #expect(lines.allSatisfy { DisplayWidth.of($0.prefix { $0 != "\u{1B}" }) < 60 })
    }

    @Test("a wrong password ends --watch with status 3")
    func wrongPassword() async throws {
        let person = try await Person("wrong", on: .shared)
        let result = try await person.bare(["connection", "--watch"] + person.connection(password: "not this one"))
        #expect(result.status == 3)
        #expect(result.errors.contains("The user name or the password is wrong"))
    }

    @Test("the traffic per hour is estimated only from a long enough measurement, and marked as an estimate")
    func budget() {
        let short = TrafficBudget(bytesSent: 100, bytesReceived: 200, wakeUps: 3, keepAlives: 0, elapsed: .seconds(5))
        #expect(short.phrase.english == "300\u{A0}B and 3 wake-ups in 0:05")
        #expect(short.perHour(300) == nil)
        let long = TrafficBudget(bytesSent: 400, bytesReceived: 800, wakeUps: 6, keepAlives: 2, elapsed: .seconds(600))
        #expect(long.phrase.english == "2 keep-alives; ≈ 7.2\u{A0}kB/h, 36 wake-ups/h (from 10:00)")
        #expect(long.json.description.contains("\"bytesPerHour\":7200,\"wakeUpsPerHour\":36"))
    }

    @Test("each state has a text")
    func words() throws {
        let address = try JID("juliet@example.org/balcony")
        let lost = ClientError(.connectionFailed, "It broke.")
        let offline = ConnectionState.offline(reason: lost, nextAttempt: .milliseconds(3600))
        #expect(
            offline.phrase(as: nil).english
                == "offline: The connection was lost. Next try in 4\u{A0}s.")
        #expect(
            offline.phrase(as: nil, remaining: .seconds(-1)).english.hasSuffix("Next try in 0\u{A0}s."))
        #expect(ConnectionState.offline(reason: nil, nextAttempt: nil).phrase(as: nil).english == "offline")
        #expect(
            ConnectionState.connecting(.securing).phrase(as: nil).english == "connecting: Encrypting the connection…")
        #expect(
            ConnectionState.online(isResumed: true).phrase(as: address).english
                == "online: the session was resumed, juliet@example.org/balcony")
    }
}
