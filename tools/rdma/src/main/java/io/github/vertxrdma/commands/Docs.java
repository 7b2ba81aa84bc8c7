package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

@Command(name = "docs", header = "Builds a website from the docs.", description = {"",
  "Builds a website from docs/*.adoc in target/site, and prints its address. A warning of Asciidoctor, a page that is missing in the "
    + "index, and a dead link are errors: each is printed, and the status is 1. Links to other sites are not checked.",
  "",
  "The first run downloads Asciidoctor from Maven Central. If that fails, the status is 125. The site itself loads nothing from other "
    + "sites."})
public final class Docs implements RdmaCommand {
}
