/** The machine, for commands that inspect or change it. */
package io.github.vertxrdma.cli.machine;
