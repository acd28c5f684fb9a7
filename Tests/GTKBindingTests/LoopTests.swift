import GTKBinding
import Observation
import ServerFixtures
import Testing
import WindowFixtures

@MainActor
@Observable
private final class Model {
    var text = "first"
    var other = 0
}

extension GTKTests {
    @MainActor
    @Suite("The loop and observation")
    struct LoopTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("many changes in one iteration are drawn once, and later ones again")
        func observation() async {
            let model = Model()
            var drawn: [String] = []
            let observation = observe { drawn.append(model.text) }
            #expect(drawn == ["first"])
            model.text = "second"
            model.text = "third"
            #expect(drawn == ["first"])
            #expect(await Toolkit.eventually { drawn == ["first", "third"] })
            model.other = 1
            await Toolkit.settle()
            #expect(drawn.count == 2)
            model.text = "fourth"
            #expect(await Toolkit.eventually { drawn == ["first", "third", "fourth"] })
            observation.end()
            model.text = "fifth"
            await Toolkit.settle()
            #expect(drawn.count == 3)
        }

        @Test("an observation ends with its owner")
        func ownership() async {
            @MainActor final class View { var count = 0 }
            let model = Model()
            var view: View? = View()
            weak let witness = view
            if let view {
                observe(view) { view in
                    _ = model.text
                    view.count += 1
                }
            }
            model.text = "again"
            #expect(await Toolkit.eventually { view?.count == 2 })
            view = nil
            #expect(witness == nil)
            model.text = "once more"
            await Toolkit.settle()
        }

        @Test("A rarely changing object does not retain the observations of released views")
        func observationsOfGoneViews() async throws {
            @MainActor final class View { var count = 0 }
            let model = Model()
            let before = ViewObservation.liveCount
            for _ in 0..<1000 {
                let view = View()
                observe(view) { view in
                    _ = model.text
                    view.count += 1
                }
                #expect(view.count == 1)
            }
            await Toolkit.settle()
            // The observations of existing views, as many again, and those since the last check.
            #expect(ViewObservation.liveCount - before < 500)
        }

        @Test("GLib's loop runs the main actor in its iterations")
        func mainActor() async throws {
            let display = try PrivateDisplay.shared.get()
            let probe = try PrivateProgram("GTKProbe", environment: display.environment)
            try probe.start()
            let end = ContinuousClock.now + .seconds(75)
            while probe.isRunning, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
            #expect(probe.exitStatus == 0, "\(probe.output)")
            #expect(probe.output.contains("hops 1000\nloop true"), "\(probe.output)")
        }
    }
}
