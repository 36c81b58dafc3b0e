"""Further methods for trees and models, beside those that the book prints as tables."""
