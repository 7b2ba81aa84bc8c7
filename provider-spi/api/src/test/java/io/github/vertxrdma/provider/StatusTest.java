package io.github.vertxrdma.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusTest {
  @ParameterizedTest
  @CsvSource({"0, OK", "-7, FAILED", "-8, -8", "10, OTHER", "11, DONE", "12, 12", "-2147483648, -2147483648", "2147483647, 2147483647"})
  void unknownStatusIsNamedByItsNumber(int status, String name) {
    assertEquals(name, Status.name(status));
  }
}
