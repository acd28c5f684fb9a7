// Offers two commands (XEP-0050): one answers at once, one asks in a form first.
import Hongyan

let uptime = Command(node: "uptime", name: "Uptime") { [start = ContinuousClock.now] _ in
    .completed("Up for \((ContinuousClock.now - start).components.seconds) s.")
}

let greet = Command(node: "greet", name: "Greet somebody") { _ in
    let fields = [
        DataFormField(name: "name", label: "Whom?", isRequired: true),
        DataFormField(
            name: "language", kind: .listSingle, label: "In which language?", values: ["en"],
            options: [.init(label: "English", value: "en"), .init(label: "中文", value: "zh")]),
    ]
    return .ask(DataForm(kind: .form, title: "Greeting", fields: fields)) { answers in
        let name = answers["name"]?.values.first ?? ""
        return .completed(answers["language"]?.values == ["zh"] ? "你好，\(name)！" : "Hello, \(name)!")
    }
}

await Client.main {
    var configuration = try ClientConfiguration.environment()
    configuration.add { Roster($0, policy: .acceptAll) }
    configuration.add { ServiceDiscovery($0, identity: .init(category: "client", type: "bot", name: "Commands")) }
    configuration.add { AdHocCommands($0, offering: [uptime, greet]) }
    return configuration
} run: { session in
    try await session.send(Presence())
    print("ready as \(await session.address?.description ?? "")")
    await session.untilEnd()
}
