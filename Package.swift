// swift-tools-version: 6.2
import PackageDescription

// One row of ARCHITECTURE.md per target: a target lists its own row or lower, never a higher one.
// `Scripts/build` passes `--explicit-target-dependency-import-check error`, so an import that is not listed here
// does not compile.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func extensionModule(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    library(
        name, ["XMLStreaming", "XMPPAddress", "XMPPStanzas", "XMPPStream", "XMPPClient"] + dependencies,
        path: "Sources/Extensions/\(name)")
}

func example(_ name: String, _ extensions: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: ["XMPPAddress", "XMPPStanzas", "XMPPClient", "TransportLayer"] + extensions,
        path: "Examples/\(name)", swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name + "Tests", dependencies: dependencies, swiftSettings: settings)
}

let extensions = [
    "DataForms", "ServiceDiscovery", "Roster", "AccountRegistration", "EntityInformation", "MessageFeatures",
    "FileSharing",
]
let extensionProducts = extensions.map { Target.Dependency(stringLiteral: $0) }
let foundation: [Target.Dependency] = ["XMLStreaming", "XMPPAddress", "XMPPStanzas", "SASLMechanisms", "XMPPStream"]

let package = Package(
    name: "Hongyan",
    products: [
        .library(
            name: "Hongyan",
            targets: [
                "XMLStreaming", "XMPPAddress", "XMPPStanzas", "SASLMechanisms", "XMPPStream", "Cryptography",
                "TransportLayer", "XMPPClient",
            ] + extensions),
        .library(name: "Media", targets: ["Media"]),
        .executable(name: "hongyan", targets: ["hongyan"]),
        .executable(name: "goose", targets: ["goose"]),
    ],
    targets: [
        // C libraries of the system.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libssl libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CCares", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        .systemLibrary(name: "CGlibc"),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(
            name: "CGStreamer", pkgConfig: "gstreamer-app-1.0 gstreamer-audio-1.0 gstreamer-pbutils-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
        .systemLibrary(name: "CGdkPixbuf", pkgConfig: "gdk-pixbuf-2.0", providers: [.apt(["libgdk-pixbuf-2.0-dev"])]),

        // Pure Swift: no C, no I/O, no clock, no randomness.
        library("XMLStreaming"),
        library("XMPPAddress"),
        library("SASLMechanisms"),
        library("XMPPStanzas", ["XMLStreaming", "XMPPAddress"]),
        library("XMPPStream", ["XMLStreaming", "XMPPAddress", "XMPPStanzas", "SASLMechanisms"]),

        // The outside world.
        library("Cryptography", ["COpenSSL"]),
        library("TransportLayer", ["COpenSSL", "CEpoll", "CCares", "CCurl"]),
        library("Media", ["CGStreamer", "CGdkPixbuf"]),
        library("CredentialStore", ["CSecret"]),

        // The session and what plugs into it.
        library("XMPPClient", foundation + ["Cryptography", "TransportLayer"]),
        extensionModule("DataForms"),
        extensionModule("ServiceDiscovery", ["DataForms", "Cryptography"]),
        extensionModule("Roster"),
        extensionModule("AccountRegistration", ["DataForms"]),
        extensionModule("EntityInformation"),
        extensionModule("MessageFeatures"),
        extensionModule("FileSharing", ["MessageFeatures", "ServiceDiscovery", "Cryptography", "TransportLayer"]),

        // Programs.
        library(
            "CommandLine",
            foundation + extensionProducts + [
                "Cryptography", "TransportLayer", "XMPPClient", "Media", "CredentialStore", "CGlibc",
            ]),
        .executableTarget(name: "hongyan", dependencies: ["CommandLine"], swiftSettings: settings),
        .executableTarget(
            name: "goose",
            dependencies: foundation + extensionProducts + ["TransportLayer", "XMPPClient", "Media", "CommandLine"],
            swiftSettings: settings),

        // Examples: each is one file.
        example("FirstSteps"),
        example("EchoBot", ["EntityInformation", "MessageFeatures", "Roster", "ServiceDiscovery"]),
        example("SendMessage", ["EntityInformation", "MessageFeatures"]),
        example("RosterDump", ["Roster"]),

        // Measurements: Scripts/benchmark.
        library("StanzaCorpus", path: "Benchmarks/StanzaCorpus"),
        .executableTarget(
            name: "benchmark", dependencies: ["XMLStreaming", "XMPPStanzas", "StanzaCorpus"],
            path: "Benchmarks/Program",
            swiftSettings: settings),

        // Tests mirror sources.
        .target(
            name: "ServerFixtures", dependencies: [], path: "Tests/ServerFixtures", swiftSettings: settings),
        tests("ServerFixtures", ["ServerFixtures"]),
        tests("XMLStreaming", ["XMLStreaming", "StanzaCorpus", "CExpat"]),
        tests("XMPPAddress", ["XMPPAddress"]),
        tests("SASLMechanisms", ["SASLMechanisms", "Cryptography"]),
        tests("XMPPStanzas", ["XMPPStanzas", "XMLStreaming", "XMPPAddress"]),
        tests("XMPPStream", foundation + ["Cryptography"]),
        tests("Cryptography", ["Cryptography"]),
        tests("TransportLayer", ["TransportLayer", "ServerFixtures"]),
        tests("Media", ["Media"]),
        tests("CredentialStore", ["CredentialStore"]),
        tests(
            "XMPPClient",
            foundation + ["Cryptography", "TransportLayer", "XMPPClient", "ServerFixtures"]),
        tests(
            "Extensions",
            foundation + extensionProducts + ["Cryptography", "TransportLayer", "XMPPClient", "ServerFixtures"]),
        tests(
            "CommandLine",
            ["CommandLine", "Roster", "MessageFeatures", "XMPPAddress", "XMPPStanzas", "Media", "ServerFixtures"]),
        tests(
            "Documentation",
            [
                "XMPPAddress", "XMPPStanzas", "XMPPClient", "TransportLayer", "EntityInformation", "Roster",
                "ServerFixtures",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
