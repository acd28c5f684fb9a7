import Foundation
import JSONRPC
import ProgramFixtures
import ServerFixtures
import Testing
import TransportLayer

@testable import CommandLine

@Suite("hongyan load")
struct LoadTests {
    // MARK: Histograms

    @Test("a histogram gives each percentile within one percent, whatever the size of the values")
    func histogram() {
        for scale in [1, 50, 1000, 40_000, 3_000_000] {
            var histogram = LatencyHistogram()
            for number in (1...1000).shuffled() { histogram.record(number * scale) }
            for (share, exact) in [(0.5, 500), (0.9, 900), (0.99, 990), (0.999, 999), (1, 1000)] {
                let value = Double(histogram.value(at: share))
                #expect(value >= Double(exact * scale), "\(share) of \(scale)")
                #expect(value <= Double(exact * scale) * 1.01 + 1, "\(share) of \(scale)")
            }
            #expect(histogram.longest == 1000 * scale && histogram.count == 1000)
            #expect(abs(histogram.mean - 500 * scale) <= scale)
        }
        #expect(LatencyHistogram().value(at: 0.5) == 0)
        var odd = LatencyHistogram()
        odd.record(-5)
        odd.record(Int.max)
        odd.record(.milliseconds(3))
        #expect(odd.value(at: 0) == 0 && odd.longest == LatencyHistogram.maximum && odd.value(at: 0.6) >= 3000)
    }

    @Test("a histogram is read as it was written, and two are added")
    func histogramForms() throws {
        var first = LatencyHistogram()
        var second = LatencyHistogram()
        for number in 1...500 { first.record(number * 37) }
        for number in 1...500 { second.record(number * 9001) }
        #expect(LatencyHistogram(try JSONValue(parsing: first.json.description.utf8)) == first)
        var both = first
        both.add(second)
        #expect(both.count == 1000 && both.longest == second.longest)
        // Half of them are those of the first, and two small ones of the second.
        #expect((18_000...18_600).contains(both.value(at: 0.5)))
        for text in [
            "{}", #"{"count":1,"max":1,"sum":1,"buckets":[1]}"#, #"{"count":1,"max":1,"sum":1,"buckets":[1,2]}"#,
            #"{"count":1,"max":1,"sum":1,"buckets":[-1,1]}"#, #"{"count":1,"max":1,"sum":1,"buckets":[99999999,1]}"#,
            #"{"count":2,"max":1,"sum":1,"buckets":[1,1]}"#, #"{"count":1,"max":-1,"sum":1,"buckets":[1,1]}"#,
        ] {
            #expect(LatencyHistogram(try JSONValue(parsing: text.utf8)) == nil, "\(text)")
        }
    }

    // MARK: The schedule

    @Test("a schedule has its rate and its mix, does not wait for anybody, and the same seed gives the same load")
    func schedule() {
        var mix = LoadMix()
        (mix.sessions, mix.seconds, mix.rate) = (50, 100, 200)
        mix.weights = [.message: 3, .archive: 1]
        let all = Array(IteratorSequence(LoadSchedule(mix, seed: 7)))
        #expect((19_000...21_000).contains(all.count))
        #expect(all.allSatisfy { $0.session != $0.peer && (0..<50).contains($0.session) && (0..<50).contains($0.peer) })
        #expect(
            zip(all, all.dropFirst()).allSatisfy { $0.time <= $1.time }
                && all.last.map { $0.time < .seconds(100) } == true)
        let messages = all.filter { $0.kind == .message }.count
        #expect((0.72...0.78).contains(Double(messages) / Double(all.count)))
        #expect(Set(all.map(\.kind)) == [.message, .archive])
        // People do not take turns: a third of the gaps of such a process is shorter than 0.4 of the mean.
        let short = zip(all, all.dropFirst()).filter { $1.time - $0.time < .milliseconds(2) }.count
        #expect((0.30...0.36).contains(Double(short) / Double(all.count)))
        #expect(Array(IteratorSequence(LoadSchedule(mix, seed: 7))) == all)
        #expect(Array(IteratorSequence(LoadSchedule(mix, seed: 8))) != all)
    }

    @Test(
        "a mix that makes no sense is refused",
        arguments: [
            "", "[]", #"{"sessions":1}"#, #"{"sessions":1000000}"#, #"{"rate":0}"#, #"{"rate":"fast"}"#,
            #"{"seconds":-1}"#,
            #"{"bytes":0}"#, #"{"mix":{}}"#, #"{"mix":{"message":0}}"#, #"{"mix":{"dance":1}}"#,
            #"{"mix":{"message":-1}}"#,
            #"{"speed":1}"#,
        ])
    func badMix(_ text: String) { #expect(throws: CommandError.self) { try LoadMix(parsing: text.utf8) } }

    @Test("a mix is read from its file")
    func mix() throws {
        let mix = try LoadMix(
            parsing: #"{"sessions":500,"seconds":60,"rate":0.5,"mix":{"message":70,"room":1},"bytes":20}"#.utf8)
        #expect(mix.sessions == 500 && mix.seconds == 60 && mix.rate == 0.5 && mix.bytes == 20)
        #expect(mix.weights == [.message: 70, .room: 1])
        #expect(try LoadMix(parsing: mix.json.description.utf8) == mix)
    }

    @Test("accounts are lines with an address and a password")
    func accounts() throws {
        let text =
            "# of the test\n\njuliet@capulet.example o romeo\r\nROMEO@montague.example\tx\nnurse@capulet.example  two words \n"
        let accounts = try LoadAccount.read(Array(text.replacing("\t", with: " ").utf8))
        #expect(
            accounts.map(\.address.description) == [
                "juliet@capulet.example", "romeo@montague.example", "nurse@capulet.example",
            ])
        #expect(accounts.map(\.password) == ["o romeo", "x", "two words"])
        for text in ["juliet", "juliet x", "@ x", "a@b x\na@b y", "capulet.example x"] {
            #expect(throws: CommandError.self) { try LoadAccount.read(Array(text.utf8)) }
        }
    }

    // MARK: Permission and comparison

    @Test("the host-meta file of a domain allows a load to those who know the token")
    func permission() throws {
        // printf %s secret | sha256sum
        let digits = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
        func file(_ relation: String, _ url: String) throws -> HostMeta {
            try HostMeta(json: Array(#"{"links":[{"rel":"\#(relation)","href":"\#(url)"}]}"#.utf8))
        }
        let allowed = try file("urn:hongyan:load", "urn:hongyan:load:sha-256:\(digits)")
        #expect(LoadPermission.allows(allowed, token: "secret"))
        #expect(!LoadPermission.allows(allowed, token: "Secret") && !LoadPermission.allows(allowed, token: ""))
        #expect(!LoadPermission.allows(allowed, token: digits))
        #expect(!LoadPermission.allows(try file("urn:other", "urn:hongyan:load:sha-256:\(digits)"), token: "secret"))
        #expect(!LoadPermission.allows(try file("urn:hongyan:load", digits), token: "secret"))
        #expect(!LoadPermission.allows(HostMeta(), token: "secret"))
    }

    private func report(_ factor: Int) -> LoadReport {
        var report = LoadReport(mix: LoadMix(), seed: 1, domain: "example.org")
        for number in 1...100 {
            report.login.latency.record(number * 1000)
            report.operations[.message, default: .init()].latency.record(number * 100 * factor)
        }
        report.operations[.upload, default: .init()].failed = factor
        report.online = 100
        return report
    }

    @Test("a report is read as it was written, and two are compared")
    func comparison() throws {
        let (first, second) = (report(1), report(3))
        #expect(try LoadReport(parsing: first.json.description.utf8) == first)
        let comparison = LoadComparison(first, second)
        #expect(
            comparison.lines.map(\.name) == Array(repeating: "login", count: 4) + Array(repeating: "message", count: 4)
                + Array(repeating: "upload", count: 4))
        #expect(comparison.lines.prefix(4).allSatisfy { $0.ratio == 1 })
        #expect(comparison.lines[4...7].allSatisfy { (2.9...3.1).contains($0.ratio) })
        #expect((2.9...3.1).contains(comparison.worst))
        #expect(
            comparison.text.contains("message") && LoadComparison.text(3.004) == "3.00"
                && LoadComparison.text(.infinity) == "∞")
        for text in ["", "{}", #"{"event":"load"}"#] {
            #expect(throws: CommandError.self) { try LoadReport(parsing: text.utf8) }
        }
    }

    @Test("a load that nobody has allowed is refused before anything is sent")
    func refusal() async throws {
        let home = try ProgramHome()
        let accounts = try home.write("accounts", "a@example.org x\nb@example.org y\n")
        let mixed = try home.write("mixed", "a@example.org x\nb@example.com y\n")
        func status(_ words: String...) async throws -> (Int32, String) {
            let result = try await Program("hongyan", ["load"] + words, home: home).result()
            return (result.status, result.errors)
        }
        let refused = try await status("--accounts", accounts)
        #expect(refused.0 == 2 && refused.1.contains("attack") && refused.1.contains("example.org"))
        #expect(try await status("--accounts", accounts, "--token", "x", "--host", "127.0.0.1").0 == 2)
        #expect(try await status("--accounts", mixed, "--i-operate-this-server").0 == 2)
        #expect(try await status("--i-operate-this-server").0 == 2)
        #expect(try await status("--accounts", "/nowhere", "--i-operate-this-server").0 == 1)
        #expect(try await status("--jid", "a@example.org", "--accounts", accounts, "--i-operate-this-server").0 == 2)
    }

    // MARK: Real servers

    private func run(on server: any PrivateServer, _ count: Int, _ mix: String) async throws {
        let home = try ProgramHome()
        var lines: [String] = []
        while lines.count < count {
            // Servers register a few accounts at a time.
            let part = try await withThrowingTaskGroup(of: Account.self) { group in
                for _ in 0..<min(10, count - lines.count) { group.addTask { try await server.newAccount("load") } }
                var accounts: [Account] = []
                for try await account in group { accounts.append(account) }
                return accounts
            }
            lines += part.map { "\($0.address) \($0.password)" }
        }
        let words =
            [
                "load", "--json", "--i-operate-this-server", "--seed", "7",
                // The other tests and the server share the processors with a hundred logins at once.
                "--timeout", "300",
                "--accounts", try home.write("accounts", lines.joined(separator: "\n")),
                "--mix", try home.write("mix", mix),
            ] + ["--host", server.host, "--port", String(server.port), "--ca", server.certificates.authorityFile]
        let result = try await Program("hongyan", words, home: home).result()
        #expect(result.status == 0, "\(result.errors)")
        let report = try LoadReport(parsing: result.output.utf8)
        #expect(report.online == count && report.login.failed == 0, "\(result.errors) \(result.output)")
        #expect(report.omitted == 0)
        for (kind, weight) in report.mix.weights where weight > 0 {
            let found = try #require(report.operations[kind], "\(kind)")
            #expect(
                found.latency.count > 0 && found.failed == 0 && found.lost == 0,
                "\(kind): \(found.failed) \(found.lost)")
            #expect(found.latency.value(at: 0.5) > 0)
        }
        let path = try home.write("report", result.output)
        let compared = try await Program("hongyan", ["load", "--compare", path, path, "--worse", "1.5"], home: home)
            .result()
        #expect(compared.status == 0 && compared.output.contains("1.00"), "\(compared.output)\(compared.errors)")
    }

    @Test("two hundred sessions load Prosody with messages, presence, rooms, archives and uploads")
    func prosody() async throws {
        let server = try await PrivateProsody.shared
        try await run(
            on: server, 200,
            #"{"sessions":200,"seconds":10,"rate":40,"mix":{"message":60,"presence":15,"room":15,"archive":8,"upload":2}}"#
        )
    }

    @Test("a hundred sessions load ejabberd with messages, presence and archives")
    func ejabberd() async throws {
        let server = try await PrivateEjabberd()
        try await run(
            on: server, 100,
            #"{"sessions":100,"seconds":10,"rate":40,"mix":{"message":70,"presence":20,"archive":10}}"#)
    }
}
