//! A sum as people type it: `3 * (2 + 4) / 100`, `2^10`, `15 % 4`, `-3.5e2`.
//!
//! Owns the four operations, remainder, powers, signs and parentheses. Refuses names, functions and everything else, and says where.

/// So many nested parentheses or signs and no more: the input comes from a model.
const DEEPEST: usize = 64;

/// The value, or what is wrong with the expression.
pub fn evaluate(text: &str) -> Result<f64, String> {
    let mut reader = Reader { rest: text, depth: 0 };
    let value = reader.sum()?;
    match reader.peek() {
        Some(c) => Err(format!("{c:?} is not expected there")),
        None if value.is_finite() => Ok(value),
        None => Err("the result is not a finite number".into()),
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Takes one of these, if it is next.
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let c = self.peek().filter(|c| wanted.contains(c))?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&['+', '-', '−']) {
            let other = self.product()?;
            value = if sign == '+' { value + other } else { value - other };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.signed()?;
        while let Some(sign) = self.take(&['*', '×', '/', '÷', '%']) {
            let other = self.signed()?;
            value = match sign {
                '*' | '×' => value * other,
                _ if other == 0.0 => return Err("division by zero".into()),
                '%' => value % other,
                _ => value / other,
            };
        }
        Ok(value)
    }

    fn signed(&mut self) -> Result<f64, String> {
        self.deeper()?;
        let value = match self.take(&['-', '−', '+']) {
            Some('+') => self.signed()?,
            Some(_) => -self.signed()?,
            None => self.power()?,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn power(&mut self) -> Result<f64, String> {
        let base = self.atom()?;
        match self.take(&['^']) {
            Some(_) => Ok(base.powf(self.signed()?)),
            None => Ok(base),
        }
    }

    fn atom(&mut self) -> Result<f64, String> {
        if self.take(&['(']).is_some() {
            self.deeper()?;
            let value = self.sum()?;
            self.depth -= 1;
            return self.take(&[')']).map(|_| value).ok_or_else(|| "a parenthesis is not closed".to_owned());
        }
        self.number()
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST { Err("it is nested too deeply".into()) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<f64, String> {
        let Some(first) = self.peek() else { return Err("it ends too early".into()) };
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let exponent_sign = matches!(bytes[end], b'+' | b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            if !(bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b'_') || (matches!(bytes[end], b'e' | b'E') && end > 0) || exponent_sign)
            {
                break;
            }
            end += 1;
        }
        let value = self.rest[..end].replace('_', "").parse::<f64>().map_err(|_| format!("{first:?} begins no number"))?;
        self.rest = &self.rest[end..];
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_come_out_by_the_usual_rules() {
        let table =
            [("1 + 2 * 3", 7.0), ("(1 + 2) * 3", 9.0), ("2^3^2", 512.0), ("-2^2", -4.0), ("15 % 4", 3.0), ("1.5e2 / 3", 50.0), ("8 − 3", 5.0)];
        for (text, want) in table {
            assert_eq!(evaluate(text), Ok(want), "{text}");
        }
        for wrong in ["", "1 +", "(1", "1 / 0", "sqrt(2)", "1 2", "1e400", "2 ** 3"] {
            assert!(evaluate(wrong).is_err(), "{wrong}");
        }
        assert!(evaluate(&"(".repeat(100_000)).is_err_and(|error| error.contains("deep")));
        assert!(evaluate(&"-".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in "[-0-9+*/^%(). eé]{0,40}") {
            if let Ok(value) = evaluate(&text) {
                prop_assert!(value.is_finite());
            }
        }

        #[test]
        fn whole_numbers_add_and_multiply(a in -1000_i32..1000, b in -1000_i32..1000) {
            prop_assert_eq!(evaluate(&format!("{a} + {b} * 2")), Ok(f64::from(a) + f64::from(b) * 2.0));
        }
    }
}
