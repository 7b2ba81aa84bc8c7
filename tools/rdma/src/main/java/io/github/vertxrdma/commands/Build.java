package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

/** {@code build}. */
@Command(name = "build", header = "Builds what the others run, and ends; they build by themselves.", description = {"",
  "The other commands do so by themselves when a source has changed; this is for doing it beforehand, as who starts them as root by sudo"
    + " may like to."})
public final class Build implements RdmaCommand {
}
