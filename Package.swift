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

/// Every extension may import what is below the session.
func extensionModule(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    library(
        name, ["XMLStreaming", "XMPPAddress", "XMPPStanzas", "XMPPStream", "XMPPClient"] + dependencies,
        path: "Sources/Extensions/\(name)")
}

/// A module of what is on the screen: everything in it is on the main actor unless it says otherwise.
func screenModule(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + [.defaultIsolation(MainActor.self)])
}

func example(_ name: String) -> Target {
    .executableTarget(name: name, dependencies: ["Hongyan"], path: "Examples/\(name)", swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name + "Tests", dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let extensions = [
    "DataForms", "ServiceDiscovery", "Roster", "AccountRegistration", "EntityInformation", "AdHocCommands",
    "MessageFeatures", "MessageHistory", "ClientState", "FileSharing", "Blocking", "PublishSubscribe", "GroupChat",
    "Profiles", "DirectTransfer",
]
let extensionProducts = extensions.map { Target.Dependency(stringLiteral: $0) }
let foundation: [Target.Dependency] = [
    "Waiting", "XMLStreaming", "XMPPAddress", "XMPPStanzas", "SASLMechanisms", "XMPPStream",
]

/// Packages that a dependent adds with a trait. Without it nothing of them is fetched. Each condition has one trait: Swift 6.2 wants
/// all of several, Swift 6.3 any.
func optional(_ product: String, _ package: String, _ trait: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: [trait]))
}

let package = Package(
    name: "Hongyan",
    products: [
        .library(
            name: "Hongyan",
            targets: [
                "Hongyan", "XMLStreaming", "XMPPAddress", "XMPPStanzas", "SASLMechanisms", "XMPPStream",
                "Cryptography", "TransportLayer", "XMPPClient", "MessagePayloads", "MessageSemantics", "Waiting",
            ] + extensions),
        .library(name: "OMEMO", targets: ["OMEMO"]),
        .library(name: "EndToEndEncryption", targets: ["EndToEndEncryption", "OMEMO"]),
        .library(name: "HongyanTesting", targets: ["HongyanTesting"]),
        .library(name: "Media", targets: ["Media"]),
        .library(name: "ChatStore", targets: ["ChatStore"]),
        .library(name: "ChatStoreTesting", targets: ["ChatStoreTesting"]),
        .library(name: "ChatEngine", targets: ["ChatEngine"]),
        .library(name: "ChatModel", targets: ["ChatModel"]),
        .library(name: "CredentialStore", targets: ["CredentialStore"]),
        .library(name: "UserProfile", targets: ["UserProfile"]),
        .executable(name: "hongyan", targets: ["hongyan"]),
        .executable(name: "hongyan-desktop", targets: ["hongyan-desktop"]),
    ],
    traits: [
        .trait(name: "LoggingSupport", description: "The log of a session goes to a logger of swift-log."),
        .trait(name: "MetricsSupport", description: "What happens in a session is counted with swift-metrics."),
        .trait(
            name: "ServiceLifecycleSupport",
            description: "A client and a component are services of swift-service-lifecycle."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    ],
    targets: [
        // C libraries of the system.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libssl libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CCares", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        .systemLibrary(name: "CGlibc"),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(
            name: "CGStreamer", pkgConfig: "gstreamer-app-1.0 gstreamer-audio-1.0 gstreamer-pbutils-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
        .systemLibrary(
            name: "CGTK", pkgConfig: "libadwaita-1", providers: [.apt(["libgtk-4-dev", "libadwaita-1-dev"])]),
        .systemLibrary(name: "CEnchant", pkgConfig: "enchant-2", providers: [.apt(["libenchant-2-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CGdkPixbuf", pkgConfig: "gdk-pixbuf-2.0", providers: [.apt(["libgdk-pixbuf-2.0-dev"])]),

        // Pure Swift: no C, no I/O, no clock, no randomness.
        library("Waiting"),
        library("JSONRPC"),
        library("XMLStreaming"),
        library("XMPPAddress"),
        library("SASLMechanisms"),
        library("OMEMO", ["XMLStreaming"]),
        library("XMPPStanzas", ["XMLStreaming", "XMPPAddress"]),
        library("XMPPStream", ["Waiting", "XMLStreaming", "XMPPAddress", "XMPPStanzas", "SASLMechanisms"]),
        library("ServerSide", foundation),
        library("MessagePayloads", ["XMLStreaming", "XMPPAddress", "XMPPStanzas"]),
        library("MessageSemantics", ["XMLStreaming", "XMPPAddress", "XMPPStanzas", "MessagePayloads"]),

        // The outside world.
        library("Localization"),
        library("Cryptography", ["COpenSSL", "OMEMO"]),
        library("TransportLayer", ["XMLStreaming", "Waiting", "COpenSSL", "CEpoll", "CCares", "CCurl"]),
        library("Media", ["CGStreamer", "CGdkPixbuf", "Waiting"]),
        library("CredentialStore", ["CSecret", "Waiting"]),
        library("QRCodes", ["CQREncode"]),
        library("SpellChecking", ["CEnchant"]),
        library(
            "ChatStore",
            [
                "Waiting", "XMPPAddress", "XMPPStream", "MessagePayloads", "MessageSemantics", "Cryptography",
                "CSQLite",
            ]),

        // Its tests' store.
        library("ChatStoreTesting", ["XMPPAddress", "XMPPStream", "MessageSemantics", "ChatStore"]),

        // The session and what plugs into it.
        library(
            "XMPPClient",
            foundation + [
                "Cryptography", "TransportLayer",
                optional("Logging", "swift-log", "LoggingSupport"),
                optional("Metrics", "swift-metrics", "MetricsSupport"),
                optional("ServiceLifecycle", "swift-service-lifecycle", "ServiceLifecycleSupport"),
            ]),
        extensionModule("DataForms"),
        extensionModule("ServiceDiscovery", ["DataForms", "Cryptography", "MessagePayloads"]),
        extensionModule(
            "Roster", ["AccountRegistration", "EntityInformation", "MessagePayloads", "TransportLayer", "Waiting"]),
        extensionModule("AccountRegistration", ["AdHocCommands", "DataForms", "MessagePayloads"]),
        extensionModule("EntityInformation", ["MessagePayloads"]),
        extensionModule("AdHocCommands", ["DataForms", "ServiceDiscovery"]),
        extensionModule("MessageFeatures", ["DataForms", "MessagePayloads", "MessageSemantics"]),
        extensionModule("ClientState", ["DataForms", "ServiceDiscovery"]),
        extensionModule(
            "MessageHistory",
            ["DataForms", "MessageFeatures", "MessageSemantics", "PublishSubscribe", "ServiceDiscovery"]),
        extensionModule("Blocking", ["MessageFeatures"]),
        extensionModule("PublishSubscribe", ["DataForms", "MessageFeatures", "ServiceDiscovery"]),
        extensionModule(
            "GroupChat",
            [
                "AccountRegistration", "DataForms", "EntityInformation", "MessageFeatures", "MessagePayloads",
                "MessageSemantics", "PublishSubscribe", "ServiceDiscovery", "Waiting",
            ]),
        extensionModule("Profiles", ["Cryptography", "DataForms", "PublishSubscribe"]),
        extensionModule(
            "FileSharing",
            ["MessagePayloads", "MessageSemantics", "ServiceDiscovery", "Cryptography", "TransportLayer"]),

        extensionModule(
            "DirectTransfer", ["Cryptography", "MessagePayloads", "ServiceDiscovery", "TransportLayer", "Waiting"]),

        // A product of its own: a bot without encryption need not have it.
        library(
            "EndToEndEncryption",
            [
                "XMLStreaming", "XMPPAddress", "XMPPStanzas", "XMPPStream", "GroupChat", "MessagePayloads",
                "MessageSemantics", "OMEMO", "PublishSubscribe", "Waiting", "XMPPClient",
            ],
            path: "Sources/Extensions/EndToEndEncryption"),

        // One import for clients and bots.
        library(
            "Hongyan",
            foundation + extensionProducts + ["MessagePayloads", "MessageSemantics", "TransportLayer", "XMPPClient"]),

        // What their unit tests talk to.
        library(
            "HongyanTesting",
            [
                "XMLStreaming", "XMPPAddress", "XMPPStanzas", "XMPPStream", "ServerSide", "TransportLayer", "Waiting",
                "XMPPClient",
            ]),

        // The screen.
        screenModule("GTKBinding", ["CGTK"]),

        // Accounts at work, without a screen.
        library(
            "ChatEngine",
            extensionProducts + [
                "XMLStreaming", "XMPPAddress", "XMPPStanzas", "XMPPStream", "ChatStore", "Cryptography",
                "EndToEndEncryption", "Media", "MessageSemantics", "OMEMO",
                "TransportLayer", "Waiting", "XMPPClient",
            ]),

        // What a person sees, without a screen.
        library(
            "ChatModel",
            [
                "XMPPAddress", "XMPPStanzas", "SASLMechanisms", "XMPPStream", "DataForms", "AccountRegistration",
                "MessageFeatures", "FileSharing", "Blocking", "GroupChat", "Profiles", "Localization", "ChatEngine",
                "ChatStore", "Cryptography", "EndToEndEncryption", "Media", "TransportLayer", "Waiting", "XMPPClient",
            ]),

        // What the programs of one person share: where everything is kept.
        library(
            "UserProfile",
            [
                "XMPPAddress", "SASLMechanisms", "XMPPStream", "Localization", "CredentialStore", "Cryptography",
                "ChatStore", "ChatEngine", "ChatModel",
                "EndToEndEncryption", "FileSharing", "JSONRPC", "Media", "MessageFeatures", "Waiting", "XMPPClient",
            ]),

        // Programs.
        library(
            "TerminalApp",
            [
                "XMPPAddress", "XMPPStanzas", "XMPPClient", "MessageFeatures", "Media", "ChatStore", "ChatEngine",
                "ChatModel", "Localization",
            ]),
        library(
            "Automation",
            [
                "ChatEngine", "ChatModel", "ChatStore", "GroupChat", "JSONRPC", "Localization", "MessageFeatures",
                "UserProfile", "Waiting", "XMPPAddress", "XMPPClient", "XMPPStream",
            ]),
        library(
            "CommandLine",
            foundation + [
                "DataForms", "ServiceDiscovery", "Roster", "AccountRegistration", "EntityInformation", "AdHocCommands",
                "MessageFeatures", "MessageHistory", "FileSharing", "GroupChat", "Profiles", "Automation",
                "Cryptography",
                "TransportLayer", "XMPPClient", "Media", "CredentialStore", "ChatStore",
                "ChatEngine", "ChatModel", "EndToEndEncryption", "JSONRPC", "Localization", "QRCodes", "TerminalApp",
                "UserProfile",
                "CGlibc",
            ]),
        .executableTarget(name: "hongyan", dependencies: ["CommandLine"], swiftSettings: settings),
        screenModule(
            "ChatApp",
            [
                "Automation", "GTKBinding", "ChatEngine", "ChatModel", "ChatStore", "Localization", "Media", "QRCodes",
                "SpellChecking", "UserProfile", "XMPPAddress", "XMPPClient",
            ]),
        .executableTarget(
            name: "hongyan-desktop", dependencies: ["ChatApp", "GTKBinding"],
            swiftSettings: settings + [.defaultIsolation(MainActor.self)]),

        // Examples: each is one file, but for the program of the tutorial and the companion of Scripts/run.
        example("FirstSteps"),
        example("ChatManager"),
        example("EchoBot"),
        example("Gateway"),
        example("SendMessage"),
        example("RosterDump"),
        library("SampleMedia", path: "Examples/SampleMedia"),
        .executableTarget(
            name: "goose", dependencies: ["Hongyan", "SampleMedia"], path: "Examples/Goose", swiftSettings: settings),

        // Measurements: Scripts/benchmark.
        library("StanzaCorpus", path: "Benchmarks/StanzaCorpus"),
        .executableTarget(
            name: "benchmark",
            dependencies: [
                "XMLStreaming", "XMPPAddress", "SASLMechanisms", "XMPPStanzas", "XMPPStream", "MessagePayloads",
                "TransportLayer", "XMPPClient", "Waiting", "Roster", "ServiceDiscovery", "EntityInformation",
                "MessageFeatures", "MessageHistory", "ChatStore", "StanzaCorpus", "CSQLite", "OMEMO", "OMEMOFixtures",
                "Cryptography", "GroupChat",
            ],
            path: "Benchmarks/Program",
            swiftSettings: settings),
        .executableTarget(
            name: "desktop-benchmark",
            dependencies: [
                "CGlibc", "ChatApp", "ChatStore", "GTKBinding", "GroupChat", "PublishSubscribe", "Roster",
                "ServiceDiscovery", "StanzaCorpus", "UserProfile", "XMPPAddress", "XMPPClient",
            ],
            path: "Benchmarks/Desktop", exclude: ["beside.py", "online.py"],
            swiftSettings: settings + [.defaultIsolation(MainActor.self)]),

        // Tests mirror sources.
        .target(
            name: "ServerFixtures", dependencies: [], path: "Tests/ServerFixtures",
            exclude: ["idle.py", "notifications.py", "proxy.py"],
            swiftSettings: settings),
        tests("ServerFixtures", ["ServerFixtures"]),
        .target(
            name: "ProgramFixtures", dependencies: ["ServerFixtures"], path: "Tests/ProgramFixtures",
            swiftSettings: settings),
        .target(
            name: "ChatFixtures",
            dependencies: foundation + [
                "ChatEngine", "ChatStore", "ChatStoreTesting", "MessageHistory", "ServerFixtures", "TransportLayer",
                "XMPPClient",
            ],
            path: "Tests/ChatFixtures", swiftSettings: settings),
        .target(
            name: "HostileFixtures",
            dependencies: foundation + [
                "ChatEngine", "ChatModel", "ChatStore", "ChatStoreTesting", "CExpat", "Cryptography", "HongyanTesting",
                "ServerSide", "StanzaCorpus", "TransportLayer", "XMPPClient", "ServerFixtures",
            ],
            path: "Tests/HostileFixtures", swiftSettings: settings),
        tests("Waiting", ["Waiting"]),
        tests("XMLStreaming", ["XMLStreaming", "StanzaCorpus", "CExpat"]),
        tests("XMPPAddress", ["XMPPAddress"]),
        tests("MessagePayloads", ["MessagePayloads", "XMLStreaming", "XMPPAddress", "XMPPStanzas"]),
        tests(
            "MessageSemantics", ["MessagePayloads", "MessageSemantics", "XMLStreaming", "XMPPAddress", "XMPPStanzas"]),
        tests("SASLMechanisms", ["SASLMechanisms", "ServerSide", "Cryptography"]),
        .target(
            name: "OMEMOFixtures", dependencies: ["OMEMO", "Cryptography", "XMLStreaming"], path: "Tests/OMEMOFixtures",
            swiftSettings: settings),
        tests("OMEMO", ["OMEMO", "OMEMOFixtures", "Cryptography", "XMLStreaming"], exclude: ["Fixtures", "Judge"]),
        tests("XMPPStanzas", ["XMPPStanzas", "XMLStreaming", "XMPPAddress"]),
        tests("XMPPStream", foundation + ["ServerSide", "Cryptography"]),
        tests("Cryptography", ["Cryptography"]),
        tests("TransportLayer", ["COpenSSL", "Cryptography", "HongyanTesting", "TransportLayer", "ServerFixtures"]),
        tests("JSONRPC", ["JSONRPC"]),
        tests("Localization", ["Localization"]),
        tests(
            "UserProfile",
            [
                "UserProfile", "ChatEngine", "ChatFixtures", "ChatModel", "ChatStore", "CredentialStore", "JSONRPC",
                "SASLMechanisms",
                "XMLStreaming", "XMPPAddress", "XMPPClient", "ServerFixtures",
            ]),
        tests("Media", ["Media", "ServerFixtures"]),
        .executableTarget(
            name: "GTKProbe", dependencies: ["GTKBinding"], path: "Tests/GTKProbe",
            swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
        .executableTarget(
            name: "ChatAppProbe",
            dependencies: [
                "ChatApp", "ChatEngine", "ChatModel", "ChatStore", "GTKBinding", "AccountRegistration", "FileSharing",
                "GroupChat",
                "Media", "Profiles", "TransportLayer", "XMPPAddress", "XMPPClient", "XMPPStanzas", "XMPPStream",
                "CredentialStore", "UserProfile",
            ],
            path: "Tests/ChatAppProbe", swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
        .target(
            name: "WindowFixtures", dependencies: ["GTKBinding", "Localization", "ServerFixtures"],
            path: "Tests/WindowFixtures",
            swiftSettings: settings),
        tests("GTKBinding", ["GTKBinding", "CGTK", "CGlibc", "ServerFixtures", "WindowFixtures", "GTKProbe"]),
        tests(
            "ChatApp",
            [
                "ChatApp", "ChatEngine", "ChatModel", "ChatStore", "ChatStoreTesting", "GTKBinding", "CGTK",
                "AccountRegistration", "AdHocCommands", "ChatFixtures", "CredentialStore",
                "DataForms",
                "GroupChat",
                "KeyFixtures", "Localization", "Media", "MessageFeatures", "QRCodes", "SpellChecking",
                "TransportLayer", "UserProfile", "XMPPAddress", "XMPPClient", "XMPPStanzas", "ServerFixtures",
                "WindowFixtures", "ChatAppProbe",
            ]),
        tests("Desktop", ["ServerFixtures", "ChatFixtures", "Hongyan"], exclude: ["carry.py", "person.py"]),
        tests("Packaging", ["ServerFixtures"]),
        tests("CredentialStore", ["CredentialStore"]),
        tests("QRCodes", ["QRCodes"]),
        tests("SpellChecking", ["SpellChecking"]),
        tests(
            "ChatStore",
            [
                "ChatStore", "ChatStoreTesting", "MessagePayloads", "MessageSemantics", "XMPPAddress", "XMPPStream",
                "CSQLite",
            ],
            exclude: ["Fixtures"]),
        tests(
            "XMPPClient",
            foundation + [
                "Cryptography", "TransportLayer", "XMPPClient", "ClientState", "HongyanTesting", "MessageFeatures",
                "MessageHistory", "ServerSide", "ServerFixtures",
            ]),
        tests(
            "Extensions",
            foundation + extensionProducts + [
                "EndToEndEncryption", "HongyanTesting", "MessagePayloads", "MessageSemantics", "OMEMO", "Cryptography",
                "TransportLayer", "XMPPClient", "ServerFixtures",
            ],
            exclude: ["Specifications/Examples"]),
        .executableTarget(
            name: "FaultClient", dependencies: foundation + ["TransportLayer", "XMPPClient"], path: "Tests/FaultClient",
            swiftSettings: settings),
        tests(
            "Connection", foundation + ["TransportLayer", "XMPPClient", "ServerFixtures", "FaultClient"]),
        tests(
            "ChatEngine",
            foundation + [
                "ChatEngine", "ChatFixtures", "ChatStore", "ChatStoreTesting", "Cryptography", "DirectTransfer",
                "EndToEndEncryption", "EntityInformation", "FileSharing", "GroupChat", "HongyanTesting", "Media",
                "MessageFeatures", "MessageHistory", "MessagePayloads", "MessageSemantics", "OMEMO", "Profiles",
                "PublishSubscribe", "Roster", "ServiceDiscovery", "TransportLayer", "XMPPClient",
                "HostileFixtures", "ServerFixtures",
            ],
            exclude: ["Encryption/peer.py", "Encryption/profanity.py"]),
        .target(
            name: "KeyFixtures",
            dependencies: ["ChatEngine", "ChatModel", "ChatStore", "EndToEndEncryption", "XMPPAddress"],
            path: "Tests/KeyFixtures", swiftSettings: settings),
        tests(
            "ChatModel",
            foundation + [
                "ChatEngine", "ChatFixtures", "ChatModel", "ChatStore", "ChatStoreTesting", "Media", "MessageFeatures",
                "MessageHistory",
                "AccountRegistration", "AdHocCommands", "DataForms", "EntityInformation", "GroupChat", "KeyFixtures",
                "Profiles", "XMPPClient", "TransportLayer", "ServerFixtures",
            ]),
        .executableTarget(
            name: "ChaosClient",
            dependencies: foundation + [
                "ChatEngine", "ChatStore", "EndToEndEncryption", "OMEMO", "PublishSubscribe", "TransportLayer",
                "XMPPClient",
            ],
            path: "Tests/ChaosClient", swiftSettings: settings),
        tests("Chaos", ["XMLStreaming", "ServerFixtures", "ProgramFixtures", "HostileFixtures", "ChaosClient"]),
        .target(
            name: "TerminalFixtures", dependencies: ["TerminalApp"], path: "Tests/TerminalFixtures",
            swiftSettings: settings),
        tests(
            "TerminalApp",
            [
                "TerminalApp", "TerminalFixtures", "ChatEngine", "ChatFixtures", "ChatModel", "ChatStore",
                "XMPPAddress", "XMPPClient", "XMPPStream",
            ]),
        tests(
            "Automation",
            [
                "Automation", "ChatEngine", "ChatStore", "JSONRPC", "ProgramFixtures", "ServerFixtures", "UserProfile",
                "XMPPAddress", "XMPPClient",
            ]),
        tests(
            "CommandLine",
            [
                "AdHocCommands", "Automation", "CommandLine", "ChatModel", "DataForms", "FileSharing", "JSONRPC",
                "TerminalApp", "TerminalFixtures",
                "Localization",
                "UserProfile", "Roster", "MessageFeatures", "PublishSubscribe", "ServiceDiscovery", "XMPPAddress",
                "XMPPStanzas", "XMPPClient", "TransportLayer", "Media", "ChatStore", "SampleMedia", "ServerFixtures",
                "ProgramFixtures",
            ], exclude: ["ordinary-network.sh"]),
        tests(
            "Hostile",
            foundation + [
                "ChatEngine", "ChatModel", "ChatStore", "TransportLayer", "XMPPClient", "ServerFixtures",
                "ProgramFixtures", "HostileFixtures",
            ]),
        tests("HongyanTesting", ["Hongyan", "HongyanTesting"]),
        tests(
            "Documentation",
            [
                "ChatEngine", "ChatModel", "ChatStore", "CredentialStore", "Hongyan", "Media", "ServerFixtures",
                "XMPPAddress", "XMPPClient", "goose", "ChatManager",
            ], exclude: ["StandIns"]),
    ],
    swiftLanguageModes: [.v6]
)

// `Scripts/test --sanitize` builds these alone: what has no I/O needs no server, and a second build of the rest takes long.
if Context.environment["HONGYAN_PURE_ONLY"] != nil {
    let pure =
        foundation.map { if case .byNameItem(let name, _) = $0 { name } else { "" } } + [
            "JSONRPC", "MessagePayloads", "MessageSemantics", "ServerSide", "Cryptography", "OMEMO",
            "OMEMOFixtures", "Waiting",
        ]
    let kept = Set(pure + pure.map { $0 + "Tests" } + ["COpenSSL", "CExpat", "StanzaCorpus"])
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
    // Without their users SwiftPM fetches the packages of the traits.
    package.dependencies = []
    package.traits = []
}
