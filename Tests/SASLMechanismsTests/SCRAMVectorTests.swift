import SASLMechanisms
import Testing

/// A complete exchange of a specification.
struct SCRAMVector: Sendable, CustomTestStringConvertible {
    let source: String
    let hash: SASLHash
    let clientNonce: String
    let serverNonce: String
    let salt: String
    let proof: String
    let signature: String

    var serverFirst: String { "r=\(clientNonce)\(serverNonce),s=\(salt),i=4096" }
    var testDescription: String { source }

    static let all: [SCRAMVector] = [
        SCRAMVector(
            source: "RFC 5802 §5", hash: .sha1, clientNonce: "fyko+d2lbbFgONRv9qkxdawL",
            serverNonce: "3rfcNHYJY1ZVvWVs7j", salt: "QSXCR+Q6sek8bf92", proof: "v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
            signature: "rmF9pqV8S7suAoZWja4dJRkFsKQ="),
        SCRAMVector(
            source: "RFC 7677 §3", hash: .sha256, clientNonce: "rOprNGfwEbeRWgbNEkqO",
            serverNonce: "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0", salt: "W22ZaJ0SNY7soEsUEjb6gQ==",
            proof: "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
            signature: "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="),
        // No specification contains one with SHA-512; this is the exchange of RFC 7677 computed by Python's hashlib.
        SCRAMVector(
            source: "RFC 7677 §3 over SHA-512", hash: .sha512, clientNonce: "rOprNGfwEbeRWgbNEkqO",
            serverNonce: "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0", salt: "W22ZaJ0SNY7soEsUEjb6gQ==",
            proof: "gMGXRcevScNtxZ6/8lQYpGtnsNAc3mGcmNomv+xnoOMw"
                + "+3R2xNJdMNnzMlTN8PPC6wdp6dybEmDYXYTxwnYPJQ==",
            signature: "ZQnYEgWQMFmmsM8aQMF0nDDCy/AgCzkwk8CmMZYcMg0v"
                + "SVlKDanekLtifDSeVGT4+5ZxXnJq199RVG2rR7N7Zw=="),
    ]
}

@Suite("SCRAM, examples of the specifications")
struct SCRAMVectorTests {
    @Test("the client sends the messages of the specification", arguments: SCRAMVector.all)
    func client(vector: SCRAMVector) throws {
        var client = SCRAMClient(credentials: .pencil, digest: .library(vector.hash), nonce: vector.clientNonce)
        #expect(try client.start()?.text == "n,,n=user,r=\(vector.clientNonce)")
        let response = try client.respond(to: Array(vector.serverFirst))
        #expect(response.text == "c=biws,r=\(vector.clientNonce)\(vector.serverNonce),p=\(vector.proof)")
        try client.succeed(with: Array("v=\(vector.signature)"))
        #expect(client.reusableKeys?.iterations == 4096)
    }

    @Test("the signature may arrive in a separate challenge", arguments: SCRAMVector.all)
    func signatureInChallenge(vector: SCRAMVector) throws {
        var client = SCRAMClient(credentials: .pencil, digest: .library(vector.hash), nonce: vector.clientNonce)
        _ = try client.start()
        _ = try client.respond(to: Array(vector.serverFirst))
        #expect(try client.respond(to: Array("v=\(vector.signature)")) == [])
        try client.succeed(with: nil)
    }
}
