package io.github.vertxrdma.differential;

import java.util.List;
import java.util.Map;

/**
 * Observations of rows that shared processes.
 *
 * @param exit exit code of the process that ended; -1 if it did not end
 * @param endedAfterMillis duration of the close; -1 if there was none
 * @param stopAfterMillis time from the beginning of the close to {@code stop()}; -1 if there was none
 * @param warnings lines of level WARNING of all processes
 * @param severes lines of level SEVERE of all processes
 * @param onFabric whether connections went over the fabric
 * @param channel class of the writer's channel; null if no row shows it
 * @param error why the run failed, or null
 */
record GroupOutcome(Map<Row, Outcome> rows, int exit, long endedAfterMillis, long stopAfterMillis, List<String> warnings,
  List<String> severes, boolean onFabric, String channel, String error) {
}
