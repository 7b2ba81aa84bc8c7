/** The machine as shown by its files, for commands that inspect or change it. */
package io.github.vertxrdma.cli.machine;
