package io.github.vertxrdma.cli;

import io.github.vertxrdma.commands.Info;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.Requirements;
import io.github.vertxrdma.provider.Selection;
import java.io.PrintStream;
import java.util.LinkedHashMap;
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
    Map<String, Selection> selections = new LinkedHashMap<>();
    selections.put("a peer on this host", Selection.of(Requirements.BASIC.withReach(Device.Reach.HOST), survey.usable()));
    selections.put("a peer on another host", Selection.of(Requirements.BASIC.withReach(Device.Reach.NETWORK), survey.usable()));
    if (command.json) {
      out.println(InfoJson.of(survey, selections).encodePrettily());
    } else {
      out.print(command.protocol ? InfoText.protocol(survey) : InfoText.of(survey, selections));
    }
    return survey.usable().isEmpty() ? 1 : 0;
  }
}
