import Hongyan

/// The command of the goose (XEP-0050), for programs that have a menu of commands.
enum Feeding {
    static let command = Command(node: "feed", name: "Feed the goose") { _ in
        let food = DataFormField(
            name: "food", kind: .listSingle, label: "Food", isRequired: true, values: ["grass"],
            options: [.init(label: "Grass", value: "grass"), .init(label: "Bread", value: "bread")])
        return .ask(DataForm(kind: .form, title: "Feed the goose", fields: [food])) { answers in
            answers["food"]?.values.first == "grass"
                ? .completed("The goose eats the grass.") : .failed("Bread is bad for geese.")
        }
    }
}
