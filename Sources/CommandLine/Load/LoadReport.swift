internal import JSONRPC
internal import Localization

/// What a load has measured.
struct LoadReport: Sendable, Equatable {
    struct Operations: Sendable, Equatable {
        /// From the time at which an operation was due until its effect.
        var latency = LatencyHistogram()
        /// The server refused it, or the connection was lost.
        var failed = 0
        /// There was no effect in time.
        var lost = 0

        var begun: Int { latency.count + failed + lost }
    }

    var mix: LoadMix
    var seed: UInt64
    var domain: String
    /// The sessions that could log in.
    var online = 0
    var login = Operations()
    var operations: [LoadMix.Kind: Operations] = [:]
    /// How much later than due operations began, because this computer was busy. If that is much, the numbers say more
    /// about this computer than about the server.
    var lateness = LatencyHistogram()
    /// Operations that did not begin, because too many others had no effect yet.
    var omitted = 0

    // MARK: JSON

    var json: JSONValue {
        var members: [(String, JSONValue)] = []
        for kind in LoadMix.Kind.allCases {
            if let found = operations[kind] { members.append((kind.rawValue, found.json)) }
        }
        return [
            "event": "load", "domain": .string(domain), "seed": .string(String(seed)), "settings": mix.json,
            "online": .integer(online), "login": login.json, "operations": JSONValue(members),
            "lateness": lateness.json, "omitted": .integer(omitted),
        ]
    }

    init(mix: LoadMix, seed: UInt64, domain: String) {
        self.mix = mix
        self.seed = seed
        self.domain = domain
    }

    /// Reads the report of an earlier run.
    init(parsing bytes: some Collection<UInt8>) throws(CommandError) {
        guard let json = try? JSONValue(parsing: bytes), json["event"] == "load",
            let seed = json["seed"]?.string.flatMap({ UInt64($0) }), let settings = json["settings"],
            let lateness = json["lateness"].flatMap({ LatencyHistogram($0) }),
            let login = json["login"].flatMap({ Operations($0) })
        else { throw .failed(localized("This is no report of a load.")) }
        self.init(
            mix: try LoadMix(parsing: settings.description.utf8), seed: seed, domain: json["domain"]?.string ?? "")
        self.login = login
        self.lateness = lateness
        online = json["online"]?.integer ?? 0
        omitted = json["omitted"]?.integer ?? 0
        for member in json["operations"]?.members ?? [] {
            guard let kind = LoadMix.Kind(rawValue: member.key), let found = Operations(member.value) else { continue }
            operations[kind] = found
        }
    }

    // MARK: Text

    /// A table: a line for each kind of operation, in milliseconds.
    var text: String {
        var lines = [
            localized("%@ of %@ sessions are online.", String(online), String(mix.sessions)),
            Self.row("", LatencyHistogram.shares.map(\.name) + ["max", "count", "failed", "lost"]),
            login.row("login"),
        ]
        for kind in LoadMix.Kind.allCases { if let found = operations[kind] { lines.append(found.row(kind.rawValue)) } }
        let late = Self.milliseconds(lateness.value(at: 0.99))
        lines.append(localized("99 of 100 operations began at most %@ ms late.", late))
        if omitted > 0 {
            lines.append(localized("%@ operations did not begin, because too many were open.", String(omitted)))
        }
        return lines.joined(separator: "\n")
    }

    static func row(_ name: String, _ cells: [String]) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(1, width - text.count)) + text
        }
        return name + String(repeating: " ", count: max(1, 9 - name.count)) + cells.map { padded($0, 10) }.joined()
    }

    /// Microseconds as milliseconds with one digit after the point.
    static func milliseconds(_ microseconds: Int) -> String {
        let tenths = (microseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension LoadReport.Operations {
    var json: JSONValue { ["latency": latency.json, "failed": .integer(failed), "lost": .integer(lost)] }

    init?(_ json: JSONValue) {
        guard let latency = json["latency"].flatMap({ LatencyHistogram($0) }), let failed = json["failed"]?.integer,
            let lost = json["lost"]?.integer, failed >= 0, lost >= 0
        else { return nil }
        (self.latency, self.failed, self.lost) = (latency, failed, lost)
    }

    fileprivate func row(_ name: String) -> String {
        let values = LatencyHistogram.shares.map { LoadReport.milliseconds(latency.value(at: $0.share)) }
        return LoadReport.row(
            name,
            values + [LoadReport.milliseconds(latency.longest), String(latency.count), String(failed), String(lost)])
    }
}

/// Two runs beside each other.
struct LoadComparison: Sendable {
    struct Line: Sendable, Equatable {
        let name: String
        let share: String
        /// In microseconds.
        let first: Int
        let second: Int

        /// How many times as long the second run took.
        var ratio: Double { first == 0 ? (second == 0 ? 1 : .infinity) : Double(second) / Double(first) }
    }

    let lines: [Line]

    init(_ first: LoadReport, _ second: LoadReport) {
        var pairs = [("login", first.login, second.login)]
        for kind in LoadMix.Kind.allCases {
            if let one = first.operations[kind], let other = second.operations[kind] {
                pairs.append((kind.rawValue, one, other))
            }
        }
        lines = pairs.flatMap { name, one, other in
            LatencyHistogram.shares.map { share in
                Line(
                    name: name, share: share.name, first: one.latency.value(at: share.share),
                    second: other.latency.value(at: share.share))
            }
        }
    }

    /// The largest ratio of the operations that both runs have.
    var worst: Double { lines.map(\.ratio).max() ?? 1 }

    var text: String {
        let heads = LoadReport.row("", ["", localized("first"), localized("second"), localized("ratio")])
        return
            ([heads]
            + lines.map { line in
                LoadReport.row(
                    line.name,
                    [
                        line.share, LoadReport.milliseconds(line.first), LoadReport.milliseconds(line.second),
                        Self.text(line.ratio),
                    ])
            }).joined(separator: "\n")
    }

    static func text(_ ratio: Double) -> String {
        guard ratio.isFinite, ratio < 1_000_000 else { return "∞" }
        let hundredths = Int((ratio * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100)." + (rest < 10 ? "0\(rest)" : "\(rest)")
    }

    var json: JSONValue {
        [
            "event": "comparison", "worst": .number(worst),
            "lines": .array(
                lines.map {
                    [
                        "operation": .string($0.name), "share": .string($0.share), "first": .integer($0.first),
                        "second": .integer($0.second), "ratio": .number($0.ratio),
                    ]
                }),
        ]
    }
}
