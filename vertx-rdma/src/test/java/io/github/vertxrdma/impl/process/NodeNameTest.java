package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class NodeNameTest {
  @ParameterizedTest
  @CsvSource({"com.example.Orders,4711,vm,Orders-4711", "orders,4711,vm,orders-4711", "tests-4711,4711,vm,tests-4711",
    "orders,1,orders-7d9f-abcde,orders-7d9f-abcde", "orders,1,'',orders-1"})
  void itIsMadeOfTheProgramAndTheProcess(String program, long pid, String host, String name) {
    assertEquals(name, NodeName.of(program, pid, host));
  }

  @Test
  void messagesCallANodeByItsNameAndId() {
    assertEquals("Orders-4711 (6f3a0b1c)", NodeName.words("Orders-4711", "6f3a0b1c-8e6f-4d7a"));
    assertEquals("b (a)", NodeName.words("b", "a"));
    assertEquals("6f3a0b1c-8e6f-4d7a", NodeName.words("", "6f3a0b1c-8e6f-4d7a"));
  }
}
