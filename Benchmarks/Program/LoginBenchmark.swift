import Cryptography
import Glibc
import SASLMechanisms
import TransportLayer
import XMPPClient
import XMPPStanzas
import XMPPStream

/// The ways of logging in that are measured.
enum LoginMode: String, CaseIterable {
    /// With the password only.
    case first
    /// With the TLS session of the login before.
    case resumed
    /// With the keys of the login before too.
    case kept
    /// The same with TLS from the first byte.
    case direct
}

/// Measures logins, each of a new client, by wall clock.
///
/// - Parameter salt: The salt of the account in hexadecimal digits, from which the keys are derived.
func measureLogin(
    _ mode: LoginMode, server: BenchmarkServer, directPort: UInt16, salt: String, iterations: Int, logins: Int
) async throws {
    var configuration = try server.configuration("juliet@capulet.example")
    if mode == .direct {
        configuration.encryption = .directTLS
        configuration.port = directPort
    }
    if mode == .kept || mode == .direct {
        configuration.credentials.scramKeys = SASLHash.allCases.compactMap { hash in
            SASLDigests.system[hash].flatMap {
                SCRAMKeys(password: "secret", salt: bytes(of: salt), iterations: iterations, digest: $0)
            }
        }
    }
    var (times, used): ([Double], [Double]) = ([], [])
    for number in 0..<logins + 2 {
        if mode == .first { configuration.tlsSessions = TLSSessionCache() }
        let start = ContinuousClock.now
        let startUsed = usedTime()
        try await Client(configuration).run { _ in
            // The first ones read the authorities and fill the caches.
            guard number >= 2 else { return }
            times.append((ContinuousClock.now - start) / .milliseconds(1))
            used.append((usedTime() - startUsed) * 1e3)
        }
    }
    times.sort()
    used.sort()
    print("\(mode.rawValue) \(times[times.count / 2]) ms/login best=\(times[0]) cpu=\(used[used.count / 2])")
}

private func bytes(of text: String) -> [UInt8] { Array(text.utf8) }
