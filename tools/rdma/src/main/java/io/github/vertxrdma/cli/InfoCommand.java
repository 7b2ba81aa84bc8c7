package io.github.vertxrdma.cli;

import io.github.vertxrdma.commands.Info;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.Selection;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

final class InfoCommand {
  private final List<Provider> providers;
  private final PrintStream out;

  InfoCommand(List<Provider> providers, PrintStream out) {
    this.providers = providers;
    this.out = out;
  }

  /** @return 0, or 1 if no device can be used */
  int run(Info command) {
    Survey survey = Survey.of(providers, new DiscoveryOptions());
    Map<String, Selection> selections = Uses.choose(survey.usable());
    if (command.json) {
      out.println(InfoJson.of(survey, selections).encodePrettily());
    } else {
      out.print(command.protocol ? ProtocolText.of(survey) : InfoText.of(survey, selections));
    }
    return survey.usable().isEmpty() ? 1 : 0;
  }
}
