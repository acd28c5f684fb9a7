import JSONRPC
import ProgramFixtures
import Testing
import UserProfile

extension Person {
    var profile: Profile { Profile(folder: home.path + "/data/hongyan") }

    /// Starts a service and returns when its socket is there and its account is online.
    func service(_ words: [String] = [], environment: [String: String] = [:]) async throws -> Program {
        let program = try Program(
            "hongyan", ["serve", "--socket"] + words + connection(), home: home, environment: environment)
        _ = try await served(by: program) { $0["state"] == "online" }
        return program
    }

    /// The account as the service lists it, once it is as expected.
    func served(by program: Program, _ isExpected: (JSONValue) -> Bool) async throws -> JSONValue {
        let end = ContinuousClock.now + .seconds(120)
        while .now < end {
            if let client = ProfileClient.connect(to: profile) {
                let list = try? await client.call("accounts.list", .null)
                client.close()
                if let account = list?["accounts"]?.array?.first, isExpected(account) { return account }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("The account is not as expected: \(program.errors)")
        return .null
    }

    /// Calls a method of the service.
    func call(_ method: String, _ parameters: JSONValue = .null) async throws -> JSONValue {
        let client = try #require(ProfileClient.connect(to: profile))
        defer { client.close() }
        return try await client.call(method, parameters)
    }
}
